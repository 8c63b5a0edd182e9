import { test } from 'tap'
import { checksByFiles, projectChecks } from '../../../src/pipelines/environment/checks.ts'
import type { Checks, ProjectFiles } from '../../../src/pipelines/environment/ecosystem-rules.ts'

const filesOf = (files: Record<string, string>): ProjectFiles => ({
  paths: new Set(Object.keys(files)),
  text: path => files[path] ?? null,
})
const manifest = (more: object): string => JSON.stringify({ name: 'x', ...more })
const SCRIPTS = { build: 'tsc', test: 'node --test', lint: 'eslint .', 'type-check': 'tsc --noEmit' }
const NPM_CHECKS = { build: 'npm run build', test: 'npm test', lint: 'npm run lint', typecheck: 'npm run type-check' }

const CASES: Array<[what: string, files: Record<string, string>, checks: Checks, ecosystems: string[]]> = [
  ['nothing that is known', { 'main.c': '' }, {}, []],
  [
    'npm',
    { 'package.json': manifest({ scripts: SCRIPTS }), 'package-lock.json': '{}' },
    { install: 'npm ci', ...NPM_CHECKS },
    ['npm'],
  ],
  [
    'npm without a lock file, with the test that npm writes',
    {
      'package.json': manifest({ scripts: { test: 'echo "Error: no test specified"' }, devDependencies: { tap: '1' } }),
    },
    { install: 'npm install --no-package-lock' },
    ['npm'],
  ],
  [
    'npm without dependencies',
    { 'package.json': manifest({ scripts: { test: 'node x' } }) },
    { test: 'npm test' },
    ['npm'],
  ],
  ['a package.json that is none', { 'package.json': '{' }, {}, []],
  [
    'pnpm',
    { 'package.json': manifest({}), 'pnpm-lock.yaml': '' },
    {
      install:
        'if command -v pnpm >/dev/null; then pnpm install --frozen-lockfile --ignore-scripts; ' +
        'else npx --yes pnpm install --frozen-lockfile --ignore-scripts; fi',
    },
    ['npm'],
  ],
  [
    'requirements',
    { 'requirements.txt': '', 'requirements-dev.txt': '', 'tests/test_a.py': '' },
    { install: 'python3 -m pip install -r requirements-dev.txt -r requirements.txt', test: 'python3 -m pytest' },
    ['pip'],
  ],
  [
    'uv, sources below src/, ruff and mypy',
    { 'pyproject.toml': '[tool.ruff]\n[tool.mypy]\n', 'uv.lock': '', 'src/x/a.py': '', 'tests/conftest.py': '' },
    {
      install:
        '{ command -v uv >/dev/null || python3 -m pip install uv; } && ' +
        'uv sync --frozen --no-install-project --all-extras --no-build',
      test: 'PYTHONPATH=src .venv/bin/python -m pytest',
      lint: 'PYTHONPATH=src .venv/bin/python -m ruff check .',
      typecheck: 'PYTHONPATH=src .venv/bin/python -m mypy .',
    },
    ['pip'],
  ],
  [
    'go',
    { 'go.mod': '', 'go.sum': '' },
    { install: 'go mod download', build: 'go build ./...', test: 'go test ./...', typecheck: 'go vet ./...' },
    ['go'],
  ],
  [
    'go with its dependencies',
    { 'go.mod': '', 'vendor/modules.txt': '' },
    { build: 'go build ./...', test: 'go test ./...', typecheck: 'go vet ./...' },
    ['go'],
  ],
  [
    'cargo',
    { 'Cargo.toml': '', 'Cargo.lock': '' },
    {
      install: 'cargo fetch --locked',
      build: 'cargo build --offline',
      test: 'cargo test --offline',
      lint: 'cargo clippy --offline',
      typecheck: 'cargo check --offline',
    },
    ['cargo'],
  ],
  [
    'maven',
    { 'pom.xml': '' },
    {
      install: 'mvn -B -q dependency:go-offline',
      build: 'mvn -B -o -DskipTests package',
      test: 'mvn -B -o test',
      typecheck: 'mvn -B -o test-compile',
    },
    ['maven'],
  ],
  [
    'gradle',
    { 'build.gradle.kts': '' },
    {
      install: 'gradle --no-daemon -q dependencies buildEnvironment',
      build: 'gradle --no-daemon --offline assemble',
      test: 'gradle --no-daemon --offline test',
      typecheck: 'gradle --no-daemon --offline testClasses',
    },
    ['gradle'],
  ],
  [
    'bundler',
    { Gemfile: '', 'spec/a_spec.rb': '', '.rubocop.yml': '' },
    {
      install: 'bundle config set --local path vendor/bundle && bundle install',
      test: 'bundle exec rspec',
      lint: 'bundle exec rubocop',
    },
    ['bundler'],
  ],
  [
    'composer',
    { 'composer.json': '{}', 'phpunit.xml.dist': '' },
    {
      install: 'composer install --no-interaction --no-progress --no-scripts --no-plugins --prefer-dist',
      test: 'vendor/bin/phpunit',
    },
    ['composer'],
  ],
  [
    'two of them: both are installed, the first that has a command gives it',
    { 'package.json': manifest({}), 'package-lock.json': '{}', 'requirements.txt': '', 'test_x.py': '' },
    { install: 'set -e\nnpm ci\npython3 -m pip install -r requirements.txt', test: 'python3 -m pytest' },
    ['npm', 'pip'],
  ],
]

for (const [what, files, checks, ecosystems] of CASES) {
  test(`the files say how a project is checked: ${what}`, async t => {
    const found = checksByFiles(filesOf(files))
    t.same(found.checks, checks)
    t.same(
      found.rules.map(({ ecosystem }) => ecosystem),
      ecosystems,
    )
  })
}

test('poetry and yarn are installed without running what they download', async t => {
  const poetry = checksByFiles(filesOf({ 'pyproject.toml': '', 'poetry.lock': '' })).checks.install
  t.match(poetry, /POETRY_INSTALLER_ONLY_BINARY=:all: poetry install --no-root/)
  const classic = checksByFiles(filesOf({ 'package.json': '{}', 'yarn.lock': '' })).checks.install
  t.match(classic, /npx --yes yarn install --frozen-lockfile --ignore-scripts/)
  const berry = checksByFiles(filesOf({ 'package.json': '{}', 'yarn.lock': '', '.yarnrc.yml': '' })).checks.install
  t.match(berry, /YARN_ENABLE_SCRIPTS=false .*yarn install --immutable/)
})

test('settings win over the file of the project, and that over the rules', async t => {
  const files = filesOf({ 'package.json': manifest({ scripts: SCRIPTS }), 'package-lock.json': '{}' })
  const { checks } = projectChecks(files, [{ test: 'make test' }, { test: 'npm run t', lint: 'make lint' }])
  t.same(checks, { ...NPM_CHECKS, install: 'npm ci', test: 'make test', lint: 'make lint' })
})

test('an install is plain when a package manager alone runs, on its own files', async t => {
  const files = filesOf({ 'package.json': manifest({}), 'package-lock.json': '{}', 'pyproject.toml': '' })
  const isPlain = (install?: string) => projectChecks(files, install === undefined ? [] : [{ install }]).isPlainInstall
  for (const install of [
    undefined,
    'npm ci',
    'npm ci --legacy-peer-deps',
    'pip install -r requirements/dev.txt',
    'poetry install --no-root',
  ]) {
    t.ok(isPlain(install), install ?? 'that of the rules')
  }
  for (const install of [
    'npm ci && npm run prepare',
    'npm ci --ignore-scripts=false',
    'pip install -e .',
    'pip install .',
    'pip install -r ci/list.txt',
    'pip install --requirement=list',
    'poetry install',
    'uv sync --frozen',
    'yarn install',
    'composer install',
    'make deps',
    'npm ci; curl x',
    'npm ci $(id)',
    'npm ci\nmake',
  ]) {
    t.notOk(isPlain(install), install)
  }
  t.notOk(projectChecks(filesOf({ Makefile: '' }), [{ install: 'npm ci' }]).isPlainInstall, 'of no known files')
})

test('what an install depends on is known of each package manager', async t => {
  const inputs = (files: Record<string, string>, paths: string[]) => {
    const { rules } = checksByFiles(filesOf(files))
    return paths.filter(path => rules.some(rule => rule.isInput(path)))
  }
  const js = ['package.json', 'packages/a/package.json', '.npmrc', 'src/a.js', '.yarn/releases/y.cjs', 'README.md']
  t.same(inputs({ 'package.json': '{}' }, js), [
    'package.json',
    'packages/a/package.json',
    '.npmrc',
    '.yarn/releases/y.cjs',
  ])
  const py = ['requirements/dev.txt', 'a/requirements.txt', 'setup.py', 'pyproject.toml', 'x.txt']
  t.same(inputs({ 'requirements.txt': '' }, py), ['requirements/dev.txt', 'a/requirements.txt', 'pyproject.toml'])
})
