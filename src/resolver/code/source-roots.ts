const SOURCE_ROOT =
  /^(?:(?:packages|apps|libs|modules|services|plugins|crates|components|projects|workspaces)\/[^/]+\/)?(?:src|lib|app|source|sources|python|code|server|backend|Lib|include|src\/main\/(?:java|kotlin|scala|groovy)|src\/test\/(?:java|kotlin|scala|groovy))?\/?$/
const WORKSPACES =
  /^(?:packages|apps|libs|modules|services|plugins|crates|components|projects|workspaces|gems|src\/packages)\/$/
const VENDORED =
  /(?:^|\/)(?:vendor|_?vendored?|_vendor|third[_-]?party|thirdparty|externals?|extern|deps|node_modules|site-packages|bundled)(?:\/|$)/i
const ASIDE =
  /(?:^|\/)(?:tests?|__tests__|spec|testdata|fixtures?|examples?|samples?|demos?|docs?|benchmarks?|templates?|project_template)(?:\/|$)/i

/** Between a package's folder and what is published of it, a source folder may be missing. */
export const SOURCE_FOLDERS: readonly string[] = ['', 'src/', 'lib/', 'source/']

/** A folder from which imports of sources start, by custom: the root of the repository, `src/`, `packages/x/lib/` … */
export const isSourceRoot = (folder: string): boolean => SOURCE_ROOT.test(folder)

/** A folder whose folders are the packages of a monorepo. */
export const isWorkspaceRoot = (folder: string): boolean => WORKSPACES.test(folder)

/** Someone else's code that the repository keeps a copy of. */
export const isVendored = (folder: string): boolean => VENDORED.test(folder)

const LIBRARIES =
  /(?:^|\/)(?:_vendor|_?vendored|third[_-]?party|node_modules|bower_components|site-packages)\/[^/]+\/|^(?:vendor|externals?|extern|deps|bundled)\/[^/]+\/|(?:^|\/)vendor\/[\w-]+(?:\.[\w-]+)+\//i

/**
 * Whether a file is of a library that the repository keeps a copy of, by folders that hold nothing else: `vendor` and
 * the like deeper down may be what the project deals with, unless a host follows.
 */
export const isOfLibrary = (path: string): boolean => LIBRARIES.test(path)

/** How likely a source root is, everything else being equal; higher is likelier. */
export function likelihoodOf(folder: string): number {
  if (folder === '') return 2
  if (isSourceRoot(folder) || isWorkspaceRoot(folder)) return 1.5
  return (isVendored(folder) ? -2 : 0) - (ASIDE.test(folder) ? 1 : 0)
}
