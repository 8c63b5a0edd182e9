/** Never sources, wherever they stand: dependencies, version control, caches, virtual environments, output of tools, editors' own files. */
const ALWAYS: ReadonlySet<string> = new Set([
  'node_modules', 'bower_components', 'jspm_packages', '.yarn', '.pnpm-store', '.git', '.hg', '.svn', '.bzr', 'cvs',
  '__pycache__', '.mypy_cache', '.pytest_cache', '.ruff_cache', '.hypothesis', '.tox', '.nox', '.eggs', '.ipynb_checkpoints', '.pytype', '.pyre',
  '.venv', '.virtualenv', '.env', '.direnv', 'site-packages', '.conda', '.bundle',
  '.next', '.nuxt', '.output', '.svelte-kit', '.astro', '.angular', '.parcel-cache', '.turbo', '.cache', '.vite', '.docusaurus', '.vuepress', '.vercel', '.netlify', '.serverless', '.webpack', '.rollup.cache',
  '.nyc_output', 'htmlcov', '.coverage', '.gradle', '.mvn', '.terraform', '.terragrunt-cache', '.dart_tool', '.stack-work', '.cabal-sandbox', '.sass-cache', '.ccls-cache', '.clangd', '.build', 'deriveddata', '.aws-sam', '.expo',
  '.idea', '.vscode', '.vscode-test', '.vs', '.fleet', '.settings', '.eclipse', '.metadata', '.atom', '.history', '.zed', 'nbproject',
])

const ALWAYS_BY_ENDING = ['.egg-info', '.dist-info', '.xcodeproj', '.xcworkspace'] as const

/**
 * Names of build output, reports and virtual environments that many repositories also give to folders of sources (`compiler/src/target`, `Lib/venv`,
 * `gym/env`, the package `build` of PyPA, Go's `build/`). Tracked or not does not settle it: libraries commit their `dist/`.
 * Such a folder counts as sources when there is evidence: it lies below a folder that holds sources by convention, or it holds, directly, a
 * package marker or a file of a kind that builds consume and do not write. Otherwise it is ignored.
 */
const BY_EVIDENCE: ReadonlySet<string> = new Set(['build', '_build', 'dist', 'out', 'target', 'coverage', 'venv', 'virtualenv', 'env'])

const SOURCE_ROOTS: ReadonlySet<string> = new Set(['src', 'source', 'sources', 'lib', 'libs', 'include', 'internal', 'cmd', 'crates', 'compiler', 'test', 'tests', 'spec', '__tests__'])

/** Not `.js`, `.css`, `.html`, `.d.ts`, `.json`, `.map`, nor `.py` (setuptools copies it to `build/lib`): builds write those. */
const SOURCE_FILE = /^(?:__init__\.py|mod\.rs|.*\.(?:go|rs|java|kt|scala|cs|swift|rb|c|cc|cpp|h|hpp|ex|erl|hs|zig|sh|bzl|(?<!\.d\.)tsx?))$/i
const VIRTUAL_ENVIRONMENT = /^(?:pyvenv\.cfg|activate)$/i

/** Answers whether a tracked file lies in an ignored folder; looks at all paths of the tree first, because a folder's files say what it is. */
export function createFolderFilter (paths: Iterable<string>): (path: string) => boolean {
  const withSources = new Set<string>()
  const environments = new Set<string>()
  for (const path of paths) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    const name = path.slice(folder === '' ? 0 : folder.length + 1)
    if (SOURCE_FILE.test(name)) withSources.add(folder)
    // A virtual environment holds `pyvenv.cfg` itself and `activate` one level below.
    if (VIRTUAL_ENVIRONMENT.test(name)) environments.add(name.toLowerCase() === 'activate' ? folder.slice(0, Math.max(0, folder.lastIndexOf('/'))) : folder)
  }
  const decided = new Map<string, boolean>()

  /** Whether a folder, or one above it, is ignored; each folder is decided once. */
  function isIgnored (folder: string): boolean {
    if (folder === '') return false
    const known = decided.get(folder)
    if (known !== undefined) return known
    const slash = folder.lastIndexOf('/')
    const parent = folder.slice(0, Math.max(0, slash))
    const answer = isIgnored(parent) || isIgnoredItself(folder, folder.slice(slash + 1).toLowerCase(), parent)
    decided.set(folder, answer)
    return answer
  }

  function isIgnoredItself (folder: string, name: string, parent: string): boolean {
    if (environments.has(folder) || ALWAYS.has(name) || ALWAYS_BY_ENDING.some(ending => name.endsWith(ending))) return true
    return BY_EVIDENCE.has(name) && !withSources.has(folder) && !parent.split('/').some(segment => SOURCE_ROOTS.has(segment.toLowerCase()))
  }

  return path => isIgnored(path.slice(0, Math.max(0, path.lastIndexOf('/'))))
}
