import { test } from 'tap'
import { readProjectFile } from '../../../src/pipelines/environment/project-file.ts'

test('the file of a project says how it is checked', async t => {
  const text = '# ours\n[checks]\ninstall = "make deps"\ntest = "make test"\n\n[other]\nx = 1\n'
  const features = { paths: {}, migrations: {} }
  t.same(readProjectFile(text), { checks: { install: 'make deps', test: 'make test' }, features, notice: null })
  t.same(readProjectFile(''), { checks: {}, features, notice: null })
})

test('of a file with a mistake nothing counts, and the notice says what is wrong', async t => {
  for (const [text, notice] of [
    ['[checks\n', /^\.faultline\.toml does not count: line 1: /],
    ['checks = 3\n', /\[checks\] must be a table/],
    ['[checks]\ntest = "x"\ndeploy = "rm"\n', /no key "deploy" in \[checks\]; there are install, build/],
    ['[checks]\ntest = 3\n', /checks\.test must be a text/],
    ['[checks]\ntest = "  "\n', /checks\.test must be a text/],
    [`[checks]\ntest = "${'x'.repeat(2001)}"\n`, /checks\.test must be a text of 1 to 2000/],
    ['[checks]\n__proto__ = "x"\n', /no key "__proto__"/],
    ['[checks]\ntest = "a\\u0000b"\n', /checks\.test must be a text/],
  ] as const) {
    const read = readProjectFile(text)
    t.same(read.checks, {})
    t.match(read.notice, notice)
  }
})

const NOTHING = { checks: {}, features: {} }

test('the file of a project says how features are built', async t => {
  const text =
    'deploy_url = "https://example.com/deploy"\nnotify = ["waiting"]\nversion = 3\n[features]\nallowed_paths = ["src/x", "a.ts"]\n' +
    'templates = "tpl/"\nbranch_prefix = "f-"\ncommit_style = "plain"\n[features.paths]\nschema = "db/{table}"\n' +
    '[migrations]\ngenerate = "make new"\nfolder = "db/migrations"\n[tool.other]\nx = 1\n'
  t.same(readProjectFile(text), {
    checks: {},
    features: {
      allowedPaths: ['src/x', 'a.ts'],
      templates: 'tpl/',
      branchPrefix: 'f-',
      commitStyle: 'plain',
      paths: { schema: 'db/{table}' },
      migrations: { generate: 'make new', folder: 'db/migrations' },
      deployUrl: 'https://example.com/deploy',
      notify: ['waiting'],
    },
    notice: null,
  })
})

test('of a file with a mistake about features nothing counts, and the notice says where', async t => {
  const paths = ['../x', '/etc', 'a/../..', '.git', 'a/.git/hooks', '', 'src/*', 'a\\\\b', '..']
  for (const [text, notice] of [
    ['features = 3\n', /\[features\] must be a table/],
    ['[[features]]\n', /\[features\] must be a table/],
    ['features = []\n', /\[features\] must be a table/],
    ['migrations = "x"\n', /\[migrations\] must be a table/],
    ['[features]\npaths = "x"\n', /\[features\.paths\] must be a table/],
    ['[features]\ncolour = "red"\n', /no key "colour" in \[features\]; there are allowed_paths, templates/],
    ['[features.paths]\nmodel = "x/{table}"\n', /no key "model" in \[features\.paths\]; there are schema, tool, test/],
    ['[migrations]\ndrop = "x"\n', /no key "drop" in \[migrations\]; there are generate, apply, rollback, folder/],
    ['[features]\n__proto__ = "x"\n', /no key "__proto__"/],
    ['[features.__proto__]\nx = 1\n', /no key "__proto__"/],
    ['[migrations]\nconstructor = "x"\n', /no key "constructor"/],
    ['[features]\nallowed_paths = "src/"\n', /features\.allowed_paths must be a list/],
    ['[features]\nallowed_paths = []\n', /features\.allowed_paths must be a list/],
    ['[features]\nallowed_paths = ["a", 3]\n', /features\.allowed_paths must be a list/],
    [`[features]\nallowed_paths = [${'"a",'.repeat(101)}]\n`, /a list of up to 100 paths/],
    ['[features]\nbranch_prefix = "a..b"\n', /features\.branch_prefix must be what the names of branches begin with/],
    ['[features]\nbranch_prefix = "-x"\n', /features\.branch_prefix/],
    [`[features]\nbranch_prefix = "${'x'.repeat(101)}"\n`, /features\.branch_prefix/],
    ['[features]\ncommit_style = 1979-05-27\n', /features\.commit_style must be "conventional" or "plain"/],
    ['[migrations]\ngenerate = ""\n', /migrations\.generate must be a text/],
    ['[migrations]\napply = ["make", "up"]\n', /migrations\.apply must be a text/],
    ['[features.paths]\ntool = "src/tool"\n', /features\.paths\.tool must be a path of the repository, with/],
    ['[features.paths]\ntool = "../{tool}"\n', /features\.paths\.tool/],
    ['[features.paths]\ntool = ".git/{tool}"\n', /features\.paths\.tool/],
    ['notify = ["always"]\n', /notify must be a list of "waiting" and "done"/],
    ['deploy_url = "x"\n', /deploy_url must be/],
    ['deploy_url = "javascript:1"\n', /deploy_url must be/],
    ['deploy_url = "file:///etc/passwd"\n', /deploy_url must be/],
    ...paths.flatMap(path => [
      [`[features]\nallowed_paths = ["a/", "${path}"]\n`, /features\.allowed_paths must be/] as const,
      [`[features]\ntemplates = "${path}"\n`, /features\.templates must be a folder/] as const,
      [`[migrations]\nfolder = "${path}"\n`, /migrations\.folder must be a folder/] as const,
    ]),
  ] as const) {
    const { notice: told, ...read } = readProjectFile(text)
    t.same(read, NOTHING, text)
    t.match(told, notice, text)
    t.match(told, /^\.faultline\.toml does not count: /)
  }
  const mixed = readProjectFile('[checks]\ntest = "make"\n[features]\ncolour = 1\n')
  t.match(mixed, NOTHING, 'not even its checks')
  t.match(readProjectFile(null), { ...NOTHING, notice: /is larger than 1 MiB/ })
})
