import { isLockFileName } from '../../core/file-names.ts'
import { isBranchPrefix, isFolderOrFile, isTemplatePath, type FeatureSettings } from '../../core/feature-settings.ts'
import { FaultlineError } from '../../core/errors.ts'
import { baseName, lowerBaseName } from '../../core/path-names.ts'
import type { ProjectSettings } from '../../core/project.ts'
import { isProtected } from '../../edits/apply/protected-paths.ts'
import type { ProjectCommit } from '../environment/plan.ts'
import { readProjectFile } from '../environment/project-file.ts'

/** What a project says of features: plain JSON. */
export interface FeatureRules {
  /** Folders and files; what ends with a slash is a folder. */
  allowedPaths: string[]
  /** Folder of the repository with templates; null for our own. */
  templates: string | null
  /** Where files are made from templates, with the slots `{table}`, `{entity}` and `{tool}`. */
  paths: { schema: string; tool: string; test: string }
  migrations: {
    generate: string | null
    apply: string | null
    rollback: string | null
    /** Where `generate` writes; null: wherever nothing was. */
    folder: string | null
  }
  branchPrefix: string
  commitStyle: 'conventional' | 'plain'
  deployUrl: string | null
}

/** Reads what a project says of features at a commit of its default branch; what is wrong with its file is told. */
export type FeatureRulesOf = (at: ProjectCommit) => Promise<{ rules: FeatureRules; notices: string[] }>

/** What reading it needs. */
interface RulesDeps {
  settings: (projectName: string) => Promise<ProjectSettings>
  /** The text of the project's file at a commit; empty where there is none, null for one that is too large. */
  projectFileAt: (at: ProjectCommit) => Promise<string | null>
}

/** The seed's. */
const ALLOWED = ['src/dynamic/', 'tests/dynamic/']
const BRANCH_PREFIX = 'feat/'
const TESTS = /(?:^|\/)(?:tests?|specs?|__tests__)\//i

/** The settings of a project that concern features; null takes nothing from the file. */
function settingsOf(settings: ProjectSettings): FeatureSettings {
  const { allowedPaths, features, migrations, deployUrl } = settings
  return {
    ...(allowedPaths === null ? {} : { allowedPaths }),
    ...features,
    ...(migrations === null ? {} : { migrations }),
    ...(deployUrl === null ? {} : { deployUrl }),
  }
}

/** Where files go that are made from templates, in folders that may be changed. */
function pathsBelow(allowedPaths: readonly string[]): FeatureRules['paths'] {
  const isFolder = (path: string): boolean => path.endsWith('/') || !baseName(path).includes('.')
  const folders = allowedPaths.filter(isFolder).map(path => (path.endsWith('/') ? path : `${path}/`))
  const code = folders.find(folder => !TESTS.test(folder)) ?? folders[0] ?? ''
  const tests = folders.find(folder => TESTS.test(folder)) ?? code
  return { schema: `${code}schema/{table}`, tool: `${code}tools/{tool}`, test: `${tests}{tool}.test` }
}

/** The rules by what the settings say first, then the file. */
export function featureRules(told: readonly FeatureSettings[]): FeatureRules {
  const first = <Key extends keyof FeatureSettings>(key: Key): FeatureSettings[Key] =>
    told.map(one => one[key]).find(value => value !== undefined)
  const within = (key: 'paths' | 'migrations', name: string): string | undefined =>
    told.map(one => (one[key] as Record<string, string> | undefined)?.[name]).find(value => value !== undefined)
  const allowedPaths = first('allowedPaths') ?? ALLOWED
  const derived = pathsBelow(allowedPaths)
  return {
    allowedPaths,
    templates: first('templates')?.replace(/\/$/, '') ?? null,
    paths: {
      schema: within('paths', 'schema') ?? derived.schema,
      tool: within('paths', 'tool') ?? derived.tool,
      test: within('paths', 'test') ?? derived.test,
    },
    migrations: {
      generate: within('migrations', 'generate') ?? null,
      apply: within('migrations', 'apply') ?? null,
      rollback: within('migrations', 'rollback') ?? null,
      folder: within('migrations', 'folder')?.replace(/\/$/, '') ?? null,
    },
    branchPrefix: first('branchPrefix') ?? BRANCH_PREFIX,
    commitStyle: first('commitStyle') ?? 'conventional',
    deployUrl: first('deployUrl') ?? null,
  }
}

/** Reads the rules of projects. */
export function createFeatureRulesOf({ settings, projectFileAt }: RulesDeps): FeatureRulesOf {
  return async at => {
    const { features, notice } = readProjectFile(await projectFileAt(at))
    const rules = featureRules([settingsOf(await settings(at.projectName)), features])
    return { rules, notices: notice === null ? [] : [notice] }
  }
}

const PATH_FIX =
  'Give paths from the root of the repository, without "..", such as "src/dynamic/" or "src/dynamic/schema/{table}".'
const PREFIX_FIX = 'Give one such as "feat/": letters, digits and single slashes.'

const invalid = (field: string, value: string, must: string, fix = PATH_FIX): FaultlineError =>
  new FaultlineError('VALIDATION_FAILED', `${field}: ${JSON.stringify(value.slice(0, 200))} ${must}.`, fix)

/**
 * Checks what settings say of paths and branches, which no schema can.
 *
 * @throws {FaultlineError} VALIDATION_FAILED
 */
export function checkFeatureSettings({ allowedPaths, features, migrations }: Partial<ProjectSettings>): void {
  const { templates, branchPrefix: prefix, paths = {} } = features ?? {}
  for (const path of allowedPaths ?? []) {
    if (!isFolderOrFile(path)) throw invalid('allowed_paths', path, 'is no folder or file inside of a repository')
  }
  for (const [field, path] of [
    ['features.templates', templates],
    ['migrations.folder', migrations?.folder],
  ] as const) {
    if (path !== undefined && !isFolderOrFile(path)) throw invalid(field, path, 'is no folder inside of a repository')
  }
  if (prefix !== undefined && !isBranchPrefix(prefix)) {
    throw invalid('features.branch_prefix', prefix, 'is nothing that the name of a branch can begin with', PREFIX_FIX)
  }
  for (const [name, path] of Object.entries(paths)) {
    if (isTemplatePath(path)) continue
    throw invalid(`features.paths.${name}`, path, 'is no path inside of a repository with {table}, {entity} or {tool}')
  }
}

/** Files that say which packages a project has, and how it is built. */
const DEPENDENCIES: ReadonlySet<string> = new Set([
  ...['package.json', 'package.json5', 'package.yaml', 'pnpm-workspace.yaml', 'lerna.json', 'bower.json', 'jsr.json'],
  ...['deno.json', 'deno.jsonc', 'import_map.json', 'pyproject.toml', 'setup.py', 'setup.cfg', 'pipfile', 'uv.toml'],
  ...['go.mod', 'go.work', 'cargo.toml', 'pom.xml', 'gemfile', 'composer.json', 'mix.exs', 'pubspec.yaml', 'build.sbt'],
  ...['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts', 'libs.versions.toml', 'podfile'],
  ...['environment.yml', 'environment.yaml', 'package.swift', 'vcpkg.json', 'conanfile.txt', 'conanfile.py'],
  ...['packages.config', 'directory.packages.props', 'directory.build.props', 'flake.nix', 'rebar.config', 'deps.edn'],
])
const DEPENDENCY_ENDINGS = ['.gemspec', '.csproj', '.fsproj', '.vbproj', '.cabal', '.podspec']
/** Folders of packages that are installed. */
const INSTALLED = /(?:^|\/)(?:node_modules|bower_components|site-packages|__pypackages__)\//i
const REQUIREMENTS = /^(?:.*[-_.])?requirements(?:[-_.].*)?\.(?:txt|in)$/

/** Whether a file says which packages a project has, or is of one: features install none. */
export function isDependencyFile(path: string): boolean {
  const name = lowerBaseName(path)
  return (
    DEPENDENCIES.has(name) ||
    REQUIREMENTS.test(name) ||
    DEPENDENCY_ENDINGS.some(ending => name.endsWith(ending)) ||
    INSTALLED.test(path) ||
    isLockFileName(path.toLowerCase())
  )
}

/** Whether a path is one of the files, or in one of the folders; by whole segments. */
export const isWithin = (paths: readonly string[], path: string): boolean =>
  paths.some(one => (one.endsWith('/') ? path.startsWith(one) : path === one || path.startsWith(`${one}/`)))

/**
 * Why a feature may not change a file, in words for a model; null for one that it may change.
 *
 * @param refusal - Why nothing at all may change it.
 */
export function scopeRefusal(
  { allowedPaths }: Pick<FeatureRules, 'allowedPaths'>,
  refusal: (path: string) => Promise<string | null>,
): (path: string) => Promise<string | null> {
  return async path => {
    if (isDependencyFile(path)) return `${path} says which packages the project has, and a feature installs none.`
    if (lowerBaseName(path) === '.gitattributes') return `${path} says what reviewers and git see of other files.`
    if (isProtected(path)) return `${path} is protected in this project.`
    if (!isWithin(allowedPaths, path)) {
      return `${path} is outside of what a feature may change here: ${allowedPaths.join(', ')}.`
    }
    return refusal(path)
  }
}
