import { test } from 'tap'
import { configures, withOwnScripts } from '../../../src/pipelines/task/checks-config.ts'

test('files of linters and of runners configure one check, those of both configure both', async t => {
  const of = (path: string) => (['lint', 'test'] as const).filter(check => configures(path, check))
  for (const path of ['eslint.config.mjs', '.eslintrc', 'web/.ESLINTRC.json', 'ruff.toml', '.flake8', '.rubocop.yml']) {
    t.same(of(path), ['lint'], path)
  }
  for (const path of ['pytest.ini', 'jest.config.ts', '.mocharc.yml', 'phpunit.xml.dist']) {
    t.same(of(path), ['test'], path)
  }
  for (const path of ['pyproject.toml', 'tox.ini', 'Makefile', 'GNUmakefile']) t.same(of(path), ['lint', 'test'], path)
  for (const path of ['package.json', 'src/eslint.js', 'conftest.py', 'Cargo.toml', 'my-pytest.ini', 'tsconfig.json']) {
    t.same(of(path), [], path)
  }
})

const SCRIPTS = {
  test: 'npm run unit && npm-run-all check:*',
  unit: 'node --test',
  'check:a': 'node a',
  start: 'node .',
}
const own = (scripts: object, { more = {}, command = 'npm test', then = {} } = {}) => {
  const text = withOwnScripts(JSON.stringify({ name: 'new', scripts, ...more }), {
    before: JSON.stringify({ name: 'old', scripts: SCRIPTS, ...then }),
    command,
  })
  return text === null ? null : (JSON.parse(text) as unknown)
}

test('what a command runs by package.json is as it was, anything else as it is', async t => {
  t.equal(own(SCRIPTS), null)
  t.equal(own({ ...SCRIPTS, start: 'node other', prettier: 'prettier .', 'lint:a': 'x' }), null)
  const changed = { ...SCRIPTS, start: 'node other' }
  for (const more of [
    { test: 'true' },
    { unit: 'true' },
    { 'check:a': 'true' },
    { pretest: 'rm -r test' },
    { postunit: 'true' },
    { 'check:b': 'true' },
  ]) {
    t.same(own({ ...changed, ...more }), { name: 'new', scripts: changed }, JSON.stringify(more))
  }
  t.same(own({ start: 'node .' }), { name: 'new', scripts: SCRIPTS }, 'scripts that were deleted')
  t.equal(own({ ...SCRIPTS, unit: 'true' }, { command: 'npm run start' }), null)
})

test('so is the configuration of linters and runners in it', async t => {
  const jest = { jest: { testMatch: ['none'] } }
  t.same(own(SCRIPTS, { more: jest }), { name: 'new', scripts: SCRIPTS })
  t.same(own(SCRIPTS, { then: jest }), { name: 'new', scripts: SCRIPTS, ...jest })
  t.equal(own(SCRIPTS, { more: { ...jest, dependencies: { a: '1' } }, then: jest }), null)
})

test('what cannot be read is left as it is', async t => {
  for (const text of ['{', '[]', 'null', '"x"']) {
    t.equal(withOwnScripts(text, { before: '{}', command: 'npm test' }), null)
    t.equal(withOwnScripts('{}', { before: text, command: 'npm test' }), null)
  }
  t.equal(withOwnScripts('{"scripts": 1}', { before: '{"scripts": []}', command: 'npm test' }), null)
  const looping = '{"scripts": {"test": "npm run test", "a": "npm run b", "b": "npm run a"}}'
  t.equal(withOwnScripts(looping, { before: looping, command: 'npm run a' }), null)
})
