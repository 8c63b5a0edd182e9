import { baseName } from '../../core/path-names.ts'
import type { Ecosystem } from '../../sandbox/network/ecosystems.ts'

/** Commands by which a project is installed and checked. */
export interface Checks {
  install?: string
  build?: string
  test?: string
  lint?: string
  typecheck?: string
}

/** The files of a commit, as far as rules look at them. */
export interface ProjectFiles {
  paths: ReadonlySet<string>
  /** The text of a file at the root; null where there is none. */
  text: (path: string) => string | null
}

/** What is known of one package manager. */
export interface EcosystemRule {
  ecosystem: Ecosystem
  /** Further ecosystems whose registries the install needs, by the paths of the project. */
  further?: (paths: ReadonlySet<string>) => Ecosystem[]
  /** The commands for a project of this kind; null for one that is none. */
  checks: (files: ProjectFiles) => Checks | null
  /** Whether what is installed depends on a file. */
  isInput: (path: string) => boolean
  /** Whether the install needs the other files to be there, though it runs and reads none of them. */
  needsAll?: boolean
  /** With `needsAll`: whether by its configuration it may run or read some of them after all. */
  mayUse?: (files: ProjectFiles) => boolean
  /** Prints the versions of the programs that install. */
  versions: string
}

const has = ({ paths }: ProjectFiles, ...names: string[]): boolean => names.some(name => paths.has(name))

const named = (...names: string[]): ((path: string) => boolean) => {
  const known = new Set(names)
  return path => known.has(baseName(path))
}

const someBelow = ({ paths }: ProjectFiles, folder: string, ending: string): boolean =>
  [...paths].some(path => path.startsWith(folder) && path.endsWith(ending))

/** A program of the machine, or else the one that a package has. */
const orElse = (program: string, otherwise: string, rest: string): string =>
  `if command -v ${program} >/dev/null; then ${program} ${rest}; else ${otherwise} ${rest}; fi`

interface PackageJson {
  scripts?: Record<string, unknown>
  dependencies?: object
  devDependencies?: object
  workspaces?: unknown
}

function packageJsonOf(files: ProjectFiles): PackageJson | null {
  const text = files.text('package.json')
  if (text === null) return null
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : null
  } catch {
    return null // npm itself will say what is wrong with it
  }
}

const YARN = 'YARN_ENABLE_SCRIPTS=false YARN_NODE_LINKER=node-modules YARN_HTTPS_PROXY="$HTTPS_PROXY"'

function npmInstall(files: ProjectFiles, { dependencies, devDependencies, workspaces }: PackageJson): string | null {
  if (has(files, 'pnpm-lock.yaml')) {
    return orElse('pnpm', 'npx --yes pnpm', 'install --frozen-lockfile --ignore-scripts')
  }
  if (has(files, 'yarn.lock')) {
    const isBerry = has(files, '.yarnrc.yml')
    const options = isBerry ? 'install --immutable' : 'install --frozen-lockfile --ignore-scripts'
    return `export ${YARN}; ${orElse('yarn', 'npx --yes yarn', options)}`
  }
  if (has(files, 'package-lock.json', 'npm-shrinkwrap.json')) return 'npm ci'
  const needed = [dependencies, devDependencies].some(one => Object.keys(one ?? {}).length > 0)
  return needed || workspaces !== undefined ? 'npm install --no-package-lock' : null
}

/** A command, where it has something to do. */
const when = (isSo: boolean, command: string): string | null => (isSo ? command : null)

const without = (checks: Record<keyof Checks, string | null>): Checks =>
  Object.fromEntries(Object.entries(checks).filter(([, command]) => command !== null))

const NPM: EcosystemRule = {
  ecosystem: 'npm',
  further: paths => (paths.has('yarn.lock') ? ['yarn'] : []),
  checks(files) {
    const manifest = packageJsonOf(files)
    if (manifest === null) return null
    const scripts = manifest.scripts ?? {}
    const script = (...names: string[]): string | null => {
      const name = names.find(one => typeof scripts[one] === 'string')
      return name === undefined ? null : `npm run ${name}`
    }
    const isTested = typeof scripts.test === 'string' && !/no test specified/.test(scripts.test)
    return without({
      install: npmInstall(files, manifest),
      build: script('build'),
      test: when(isTested, 'npm test'),
      lint: script('lint'),
      typecheck: script('typecheck', 'type-check', 'check-types'),
    })
  },
  isInput: path =>
    path.startsWith('.yarn/') ||
    path.startsWith('patches/') ||
    named(
      'package.json',
      'package-lock.json',
      'npm-shrinkwrap.json',
      'pnpm-lock.yaml',
      'pnpm-workspace.yaml',
      'yarn.lock',
      '.npmrc',
      '.yarnrc',
      '.yarnrc.yml',
      '.pnpmfile.cjs',
    )(path),
  versions: 'node --version; npm --version; pnpm --version; yarn --version',
}

/** Requirements of the program and of its tests, by the names that projects give them. */
const REQUIREMENTS = /^(?:(?:dev|test|tests)[-_])?requirements(?:[-_](?:dev|test|tests|testing))?\.txt$/
const GROUPS = '("dev", "test", "tests", "testing")'
/** Reads what pyproject.toml asks for, so that the project's own build runs nothing. */
const FROM_PYPROJECT = `python3 - <<'EOF'
import subprocess, sys
try: import tomllib
except ImportError: from pip._vendor import tomli as tomllib
with open("pyproject.toml", "rb") as file: told = tomllib.load(file)
project, groups = told.get("project", {}), told.get("dependency-groups", {})
wanted = list(project.get("dependencies", []))
for name in ${GROUPS}:
    wanted += project.get("optional-dependencies", {}).get(name, [])
    wanted += [one for one in groups.get(name, []) if isinstance(one, str)]
if wanted: sys.exit(subprocess.call([sys.executable, "-m", "pip", "install", "--", *wanted]))
EOF`

const viaPip = (program: string): string => `command -v ${program} >/dev/null || python3 -m pip install ${program}`

function pythonInstall(files: ProjectFiles): string | null {
  if (has(files, 'uv.lock')) {
    return `{ ${viaPip('uv')}; } && uv sync --frozen --no-install-project --all-extras --no-build`
  }
  if (has(files, 'poetry.lock')) {
    const env = 'POETRY_VIRTUALENVS_IN_PROJECT=true POETRY_INSTALLER_ONLY_BINARY=:all:'
    return `{ ${viaPip('poetry')}; } && ${env} poetry install --no-root --no-interaction --all-extras`
  }
  const lists = [...files.paths].filter(path => REQUIREMENTS.test(path)).sort()
  if (lists.length > 0) return `python3 -m pip install ${lists.map(path => `-r ${path}`).join(' ')}`
  return files.text('pyproject.toml') === null ? null : FROM_PYPROJECT
}

const PYTHON: EcosystemRule = {
  ecosystem: 'pip',
  checks(files) {
    const install = pythonInstall(files)
    const isPython = install !== null || has(files, 'setup.py', 'setup.cfg', 'Pipfile')
    if (!isPython) return null
    const told = files.text('pyproject.toml') ?? ''
    const path = someBelow(files, 'src/', '.py') ? 'PYTHONPATH=src ' : ''
    const python = `${path}${has(files, 'uv.lock', 'poetry.lock') ? '.venv/bin/python' : 'python3'}`
    const isTested = [...files.paths].some(one => /(?:^|\/)(?:conftest|test_[^/]*|[^/]*_test)\.py$/.test(one))
    return without({
      install,
      build: null,
      test: when(isTested, `${python} -m pytest`),
      lint: when(has(files, 'ruff.toml', '.ruff.toml') || told.includes('[tool.ruff'), `${python} -m ruff check .`),
      typecheck: when(has(files, 'mypy.ini') || told.includes('[tool.mypy'), `${python} -m mypy .`),
    })
  },
  isInput: path =>
    REQUIREMENTS.test(baseName(path)) ||
    /(?:^|\/)(?:requirements|constraints)\/[^/]+\.txt$/.test(path) ||
    named(
      'pyproject.toml',
      'uv.lock',
      'poetry.lock',
      'poetry.toml',
      'uv.toml',
      '.python-version',
      'constraints.txt',
    )(path),
  versions: 'python3 --version; python3 -m pip --version; uv --version; poetry --version',
}

const GO: EcosystemRule = {
  ecosystem: 'go',
  checks: files =>
    has(files, 'go.mod', 'go.work')
      ? without({
          install: when(!has(files, 'vendor/modules.txt'), 'go mod download'),
          build: 'go build ./...',
          test: 'go test ./...',
          lint: null,
          typecheck: 'go vet ./...',
        })
      : null,
  isInput: named('go.mod', 'go.sum', 'go.work', 'go.work.sum'),
  versions: 'go version',
}

const CARGO: EcosystemRule = {
  ecosystem: 'cargo',
  checks(files) {
    if (!has(files, 'Cargo.toml')) return null
    return {
      install: has(files, 'Cargo.lock') ? 'cargo fetch --locked' : 'cargo fetch',
      build: 'cargo build --offline',
      test: 'cargo test --offline',
      lint: 'cargo clippy --offline',
      typecheck: 'cargo check --offline',
    }
  },
  isInput: path =>
    path.startsWith('.cargo/') || named('Cargo.toml', 'Cargo.lock', 'rust-toolchain', 'rust-toolchain.toml')(path),
  needsAll: true, // a manifest without its sources is none
  // a configuration can name a program to run in place of the compiler
  mayUse: ({ paths }) => [...paths].some(path => /(?:^|\/)\.cargo\/config(?:\.toml)?$/.test(path)),
  versions: 'cargo --version; rustc --version',
}

const MAVEN: EcosystemRule = {
  ecosystem: 'maven',
  checks: files =>
    has(files, 'pom.xml')
      ? {
          install: 'mvn -B -q dependency:go-offline',
          build: 'mvn -B -o -DskipTests package',
          test: 'mvn -B -o test',
          typecheck: 'mvn -B -o test-compile',
        }
      : null,
  isInput: path => path.startsWith('.mvn/') || baseName(path) === 'pom.xml',
  versions: 'mvn --version; java -version',
}

const GRADLE: EcosystemRule = {
  ecosystem: 'gradle',
  checks: files =>
    has(files, 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts')
      ? {
          install: 'gradle --no-daemon -q dependencies buildEnvironment',
          build: 'gradle --no-daemon --offline assemble',
          test: 'gradle --no-daemon --offline test',
          typecheck: 'gradle --no-daemon --offline testClasses',
        }
      : null,
  isInput: path =>
    /\.gradle(?:\.kts)?$/.test(path) ||
    /^(?:gradle|buildSrc|build-logic)\//.test(path) ||
    named('gradle.properties', 'gradle.lockfile')(path),
  versions: 'gradle --version; java -version',
}

const BUNDLER: EcosystemRule = {
  ecosystem: 'bundler',
  checks(files) {
    if (!has(files, 'Gemfile')) return null
    const isSpecified = has(files, '.rspec') || someBelow(files, 'spec/', '_spec.rb')
    return without({
      install: 'bundle config set --local path vendor/bundle && bundle install',
      build: null,
      test: isSpecified ? 'bundle exec rspec' : 'bundle exec rake test',
      lint: when(has(files, '.rubocop.yml'), 'bundle exec rubocop'),
      typecheck: null,
    })
  },
  isInput: path => path.endsWith('.gemspec') || named('Gemfile', 'Gemfile.lock', '.ruby-version', 'version.rb')(path),
  versions: 'ruby --version; bundle --version',
}

const COMPOSER: EcosystemRule = {
  ecosystem: 'composer',
  checks: files =>
    has(files, 'composer.json')
      ? without({
          install: 'composer install --no-interaction --no-progress --no-scripts --no-plugins --prefer-dist',
          build: null,
          test: when(has(files, 'phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'), 'vendor/bin/phpunit'),
          lint: null,
          typecheck: when(has(files, 'phpstan.neon', 'phpstan.neon.dist'), 'vendor/bin/phpstan analyse'),
        })
      : null,
  isInput: named('composer.json', 'composer.lock'),
  needsAll: true, // its autoloader lists classes
  mayUse: ({ text }) => /classmap|optimize-autoloader|"(?:path|artifact)"/.test(text('composer.json') ?? ''),
  versions: 'php --version; composer --version',
}

/** Every package manager that is known. Of several in one project the first that has a command gives it. */
export const ECOSYSTEM_RULES: readonly EcosystemRule[] = [NPM, PYTHON, GO, CARGO, MAVEN, GRADLE, BUNDLER, COMPOSER]
