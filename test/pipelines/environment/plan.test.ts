import { createHash } from 'node:crypto'
import { test } from 'tap'
import { createChecksOf, planEnvironment, projectFileAt } from '../../../src/pipelines/environment/plan.ts'
import type { Checks } from '../../../src/pipelines/environment/ecosystem-rules.ts'

type Files = Record<string, string>

const INDEXED = '1'.repeat(40)
const BRANCH = '2'.repeat(40)
const oidOf = (text: string): string => createHash('sha1').update(text).digest('hex')

/** A repository of two commits: the one that is indexed, and one of a branch. */
function depsOf(commits: { indexed?: Files; branch: Files }, settings: Checks = {}) {
  const byCommit = new Map([
    [INDEXED, commits.indexed ?? commits.branch],
    [BRANCH, commits.branch],
  ])
  const texts = new Map([...byCommit.values()].flatMap(files => Object.values(files).map(text => [oidOf(text), text])))
  return {
    git: {
      listFiles: async ({ commit }: { commit: string }) => ({
        files: Object.entries(byCommit.get(commit) ?? {}).map(([path, text]) => ({
          path,
          mode: '100644' as const,
          size: text.length,
          oid: oidOf(text),
        })),
        others: [],
      }),
      readTexts: async ({ oids }: { oids: readonly string[] }) => oids.map(oid => texts.get(oid) ?? null),
    },
    settingsOf: async () => settings,
    commitOf: async () => ({ commit: INDEXED }),
  }
}

const AT = { projectName: 'shop', repository: 'shop', commit: BRANCH }
const JOB = { workspace: async () => '/nonexistent', signal: new AbortController().signal }

async function plan(branch: Files, { settings, versions = 'node 24' }: { settings?: Checks; versions?: string } = {}) {
  const deps = { ...depsOf({ branch }, settings), versionsOf: async () => versions, onNotice() {} }
  const planned = await planEnvironment(JOB, deps, AT)
  if (planned === null) throw new Error('nothing is installed')
  return planned
}

const NPM = { 'package.json': '{"scripts": {"test": "node x"}}', 'package-lock.json': '{}', 'src/a.js': 'a' }

test("the file of the branch under test does not count, only that of the project's own", async t => {
  const indexed = { ...NPM, '.faultline.toml': '[checks]\ntest = "make test"\n' }
  const branch = { ...NPM, '.faultline.toml': '[checks]\ntest = "curl evil"\ninstall = "curl evil"\n' }
  const checksOf = createChecksOf(depsOf({ indexed, branch }))
  t.same(await checksOf(AT), { install: 'npm ci', test: 'make test' })
  t.same(await createChecksOf(depsOf({ indexed: {}, branch }))(AT), { install: 'npm ci', test: 'npm test' })
})

test("what yarn's lock file names comes from yarn's own host", async t => {
  const { ecosystems, given } = await plan({ 'package.json': '{}', 'yarn.lock': '' })
  t.same({ ecosystems, given }, { ecosystems: ['npm', 'yarn'], given: ['package.json', 'yarn.lock'] })
})

test('an install by a package manager gets what it depends on, and is the same for other files', async t => {
  const { key, given, withheld, ecosystems, install } = await plan(NPM)
  t.same(
    { given, withheld, ecosystems, install },
    {
      given: ['package.json', 'package-lock.json'],
      withheld: ['src/a.js'],
      ecosystems: ['npm'],
      install: 'npm ci',
    },
  )
  t.equal((await plan({ ...NPM, 'src/a.js': 'b', 'evil.sh': 'x' })).key, key)
  for (const other of [
    plan({ ...NPM, 'package-lock.json': '{ }' }),
    plan({ ...NPM, '.npmrc': 'x' }),
    plan({ ...NPM, 'packages/p/package.json': '{}' }),
    plan(NPM, { settings: { install: 'npm ci --omit=dev' } }),
    plan(NPM, { versions: 'node 25' }),
  ]) {
    t.not((await other).key, key)
  }
})

test('any other command gets all files, and is another install for each of them', async t => {
  const settings = { install: 'make deps' }
  const { key, given, withheld } = await plan(NPM, { settings })
  t.same({ given, withheld }, { given: Object.keys(NPM), withheld: [] })
  t.not((await plan({ ...NPM, 'src/a.js': 'hostile' }, { settings })).key, key)
})

test('cargo needs sources to read a manifest, and depends on none of them', async t => {
  const files = { 'Cargo.toml': '', 'Cargo.lock': '', 'src/main.rs': 'fn main() {}' }
  const { key, withheld } = await plan(files)
  t.same(withheld, [])
  t.equal((await plan({ ...files, 'src/main.rs': 'fn main() { loop {} }' })).key, key)
})

test('an install that finds other files and may use them is another one for each of them', async t => {
  const cargo = { 'Cargo.toml': '', 'Cargo.lock': '', 'src/main.rs': 'fn main() {}' }
  const cases: Array<[why: string, files: Files]> = [
    ['pip may build what its list names, when cargo has all files there', { ...cargo, 'requirements.txt': '-e .' }],
    ['cargo runs what its configuration names', { ...cargo, 'tools/.cargo/config.toml': 'rustc-wrapper = "x.sh"' }],
    ['composer lists the classes of files', { 'composer.json': '{"autoload": {"classmap": ["src/"]}}' }],
  ]
  for (const [why, files] of cases) {
    t.not((await plan({ ...files, 'setup.py': 'hostile' })).key, (await plan({ ...files, 'setup.py': '' })).key, why)
  }
  const composer = { 'composer.json': '{"autoload": {"psr-4": {"A": "src/"}}}' }
  t.equal((await plan({ ...composer, 'src/A.php': 'a' })).key, (await plan({ ...composer, 'src/A.php': 'b' })).key)
})

test('what the programs of an unknown command are, is told by all that are known', async t => {
  const asked: string[] = []
  const versionsOf = async (_job: unknown, rules: ReadonlyArray<{ versions: string }>) => {
    asked.push(rules.map(({ versions }) => versions).join('; '))
    return ''
  }
  const branch = { 'frontend/package.json': '{}' }
  const deps = { ...depsOf({ branch }, { install: 'cd frontend && npm ci' }), versionsOf, onNotice() {} }
  t.ok(await planEnvironment(JOB, deps, AT))
  t.match(asked, [/node --version.*python3 --version/])
})

test('there may be nothing to install', async t => {
  for (const [branch, settings] of [
    [{ 'a.c': '' }, {}],
    [NPM, { install: 'true' }],
  ] as const) {
    const deps = { ...depsOf({ branch }, settings), versionsOf: async () => '', onNotice() {} }
    t.equal(await planEnvironment(JOB, deps, AT), null)
  }
})

test("a project's file that is too large to be read is told, not taken for none", async t => {
  const fileOf = (text: string) => projectFileAt(depsOf({ branch: { '.faultline.toml': text } }), AT)
  t.equal(await fileOf('#'.repeat(1_048_576)), '#'.repeat(1_048_576))
  t.equal(await fileOf('#'.repeat(1_048_577)), null)
  t.equal(await projectFileAt(depsOf({ branch: { 'sub/.faultline.toml': 'x = 1' } }), AT), '', 'only that at the root')
})
