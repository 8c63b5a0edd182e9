import { baseName } from '../core/path-names.ts'

/**
 * Never sources, wherever they stand: dependencies, version control, caches, virtual environments, output of tools,
 * editors' own files.
 */
const ALWAYS: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  '.yarn',
  '.pnpm-store',
  '.git',
  '.hg',
  '.svn',
  '.bzr',
  'cvs',
  '__pycache__',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.hypothesis',
  '.tox',
  '.nox',
  '.eggs',
  '.ipynb_checkpoints',
  '.pytype',
  '.pyre',
  '.venv',
  '.virtualenv',
  '.env',
  '.direnv',
  'site-packages',
  '.conda',
  '.bundle',
  '.next',
  '.nuxt',
  '.output',
  '.svelte-kit',
  '.astro',
  '.angular',
  '.parcel-cache',
  '.turbo',
  '.cache',
  '.vite',
  '.docusaurus',
  '.vuepress',
  '.vercel',
  '.netlify',
  '.serverless',
  '.webpack',
  '.rollup.cache',
  '.nyc_output',
  'htmlcov',
  '.coverage',
  '.gradle',
  '.mvn',
  '.terraform',
  '.terragrunt-cache',
  '.dart_tool',
  '.stack-work',
  '.cabal-sandbox',
  '.sass-cache',
  '.ccls-cache',
  '.clangd',
  '.build',
  'deriveddata',
  '.aws-sam',
  '.expo',
  '.idea',
  '.vscode',
  '.vscode-test',
  '.vs',
  '.fleet',
  '.settings',
  '.eclipse',
  '.metadata',
  '.atom',
  '.history',
  '.zed',
  'nbproject',
])

const ALWAYS_BY_ENDING = ['.egg-info', '.dist-info', '.xcodeproj', '.xcworkspace'] as const

/**
 * Names of build output and reports that many repositories also give to folders of sources (`compiler/src/target`, the
 * package `build` of PyPA, Go's `build/`). Tracked or not does not settle it: libraries commit their `dist/`. Such a
 * folder counts as sources when there is evidence: it lies below a folder that holds sources by convention, or it
 * holds, directly, a package marker or a file of a kind that builds consume and do not write, or it is a root `build/`
 * of scripts (`scriptsToBuild`). Otherwise it is ignored. Virtual environments are known by their marks alone, whatever
 * their name.
 */
const BY_EVIDENCE: ReadonlySet<string> = new Set(['build', '_build', 'dist', 'out', 'target', 'coverage'])

const SOURCE_ROOTS: ReadonlySet<string> = new Set([
  'src',
  'source',
  'sources',
  'lib',
  'libs',
  'include',
  'internal',
  'cmd',
  'crates',
  'compiler',
  'test',
  'tests',
  'spec',
  '__tests__',
])

/**
 * Not `.js`, `.css`, `.html`, `.d.ts`, `.json`, `.map`: builds write those. (setuptools copies `.py`, but to
 * `build/lib`.)
 */
const SOURCE_FILE =
  /^(?:mod\.rs|.*\.(?:py|go|rs|java|kt|scala|cs|swift|rb|c|cc|cpp|h|hpp|ex|erl|hs|zig|sh|bzl|(?<!\.d\.)tsx?))$/i
const VIRTUAL_ENVIRONMENT = /^(?:pyvenv\.cfg|activate)$/i
const SCRIPT = /\.[cm]?js$/i
const MAX_HAND_SIZE_BYTES = 65_536

interface SizedFile {
  path: string
  size: number | null
}

const stemOf = (path: string): string => baseName(path).replace(/\.[^.]*$/, '')

/**
 * Whether the root `build/` holds scripts that build, not what was built: nothing but JavaScript of a size that people
 * write, most of it under names that the rest of the tree does not have (the output of a transpiler is named like its
 * sources).
 */
function scriptsToBuild(files: readonly SizedFile[]): boolean {
  const scripts: string[] = []
  for (const { path, size } of files) {
    if (!path.startsWith('build/')) continue
    if (!SCRIPT.test(path) || (size ?? 0) > MAX_HAND_SIZE_BYTES) return false
    scripts.push(stemOf(path))
  }
  const stems = new Set(scripts)
  const sources = new Set<string>()
  for (const { path } of files) if (!path.startsWith('build/') && stems.has(stemOf(path))) sources.add(stemOf(path))
  return scripts.filter(stem => !sources.has(stem)).length * 2 > scripts.length
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/**
 * Answers whether a tracked file lies in an ignored folder; looks at the whole tree first, because a folder's files say
 * what it is.
 */
export function createFolderFilter(files: readonly SizedFile[]): (path: string) => boolean {
  const withSources = new Set<string>()
  const environments = new Set<string>()
  for (const { path } of files) {
    const folder = folderOf(path)
    const name = baseName(path)
    if (SOURCE_FILE.test(name)) withSources.add(folder)
    // A virtual environment holds `pyvenv.cfg` itself and `activate` one level below.
    if (VIRTUAL_ENVIRONMENT.test(name)) environments.add(name.toLowerCase() === 'activate' ? folderOf(folder) : folder)
  }
  if (scriptsToBuild(files)) withSources.add('build')
  const decided = new Map<string, boolean>()

  /**
   * Looks at a folder and those above it. Only the folder itself is remembered: those above are many in a deep tree.
   */
  function isIgnored(folder: string): boolean {
    let inSourceRoot = false
    for (let start = 0; start < folder.length;) {
      const slash = folder.indexOf('/', start)
      const end = slash < 0 ? folder.length : slash
      const name = folder.slice(start, end).toLowerCase()
      if (ALWAYS.has(name) || ALWAYS_BY_ENDING.some(ending => name.endsWith(ending))) return true
      if (environments.size > 0 && environments.has(folder.slice(0, end))) return true
      if (BY_EVIDENCE.has(name) && !inSourceRoot && !withSources.has(folder.slice(0, end))) return true
      inSourceRoot ||= SOURCE_ROOTS.has(name)
      start = end + 1
    }
    return false
  }

  return path => {
    const folder = folderOf(path)
    const answer = decided.get(folder) ?? isIgnored(folder)
    decided.set(folder, answer)
    return answer
  }
}
