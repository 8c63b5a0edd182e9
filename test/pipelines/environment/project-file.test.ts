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
