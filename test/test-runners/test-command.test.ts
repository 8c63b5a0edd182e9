import { test } from 'tap'
import { readTestCommand, scriptsIn } from '../../src/test-runners/test-command.ts'
import { asItIs, withReport } from '../../src/test-runners/with-report.ts'

const SCRIPTS = new Map([
  ['test', 'npm run build && jest --coverage'],
  ['build', 'tsc'],
  ['unit', 'node --import tsx --test test/*.test.ts'],
  ['vt', 'vitest run'],
  ['again', 'npm run again'],
])
const read = (command: string) => {
  const found = readTestCommand(command, SCRIPTS)
  if (found === null) return null
  const { runner, parts } = found
  return `${runner}: ${parts?.start ?? '?'}`
}

test('the runner of a command is known by its words, also behind others', async t => {
  for (const [command, expected] of [
    ['pytest -q', 'pytest: pytest'],
    ['python3 -m pytest -q tests', 'pytest: python3 -m pytest'],
    ['A=1 poetry run python3.11 -m pytest', 'pytest: A=1 poetry run python3.11 -m pytest'],
    ['python3 -m unittest -q', 'unittest: python3 -m unittest'],
    ['npx --no-install jest', 'jest: npx --no-install jest'],
    ['make build; node --test', 'node: node'],
    ['go vet ./... && go test ./...', 'go: go test'],
    ['cargo test --all', 'cargo: cargo test'],
    ['bundle exec rspec', 'rspec: bundle exec rspec'],
    ['vendor/bin/phpunit tests', 'phpunit: vendor/bin/phpunit'],
    ['./mvnw -q test', 'maven: ./mvnw'],
    ['./gradlew test', 'gradle: ./gradlew'],
    ['npm test', 'jest: ./node_modules/.bin/jest'],
    ['npm t', 'jest: ./node_modules/.bin/jest'],
    ['yarn unit', 'node: node'],
    ['pnpm run vt', 'vitest: ./node_modules/.bin/vitest run'],
    ['cd web && npm test', 'jest: ?'],
    ['pytest | tee log', 'pytest: ?'],
    ['(go test ./...)', 'go: ?'],
    ['make test', null],
    ['npm run again', null],
    ['npm run missing', null],
    ['npm install', null],
    ['python3 check.py', null],
    ['', null],
  ] as const) {
    t.equal(read(command), expected, command)
  }
})

test('scripts are those of package.json, none where it cannot be read', async t => {
  t.same([...scriptsIn('{"scripts":{"test":"jest","bad":1}}')], [['test', 'jest']])
  for (const text of [null, '', '[]', '{"scripts":3}', '{']) t.equal(scriptsIn(text).size, 0)
})

test('a command is made to write a report by a variable, or by options behind it', async t => {
  const reporting = (command: string) => withReport(command, readTestCommand(command, SCRIPTS))
  t.match(reporting('make lint && pytest'), {
    command: 'make lint && pytest',
    env: { PYTEST_ADDOPTS: '--junitxml=.faultline-report.xml' },
    reports: ['.../.faultline-report.xml'],
  })
  t.match(reporting('yarn unit').env.NODE_OPTIONS, /--test-reporter=spec .*--test-reporter=junit/)
  t.equal(reporting('npm test').command, 'npm test -- --json --outputFile=.faultline-report.json')
  t.equal(reporting('npm test -- --ci').command, 'npm test -- --ci --json --outputFile=.faultline-report.json')
  t.match(reporting('pnpm vt').command, /^pnpm vt --reporter=default --reporter=junit/)
  t.equal(reporting('go vet ./... && go test -race ./...').command, 'go vet ./... && go test -json -race ./...')
  t.match(reporting('bundle exec rspec').env.SPEC_OPTS, /--format json --out/)
  t.match(reporting('mocha test'), { command: 'mocha test --reporter tap', reports: [] }, 'with what failed')
  for (const command of [
    'jest --json --outputFile=x.json',
    'phpunit --log-junit x.xml',
    'node --test --test-reporter=tap',
    'cd sub && npm run unit',
    'jest | tee log',
    'cargo test',
    'make test',
    './mvnw test',
  ]) {
    t.same(reporting(command), asItIs(command), command)
  }
})
