const SOURCE_ROOT =
  /^(?:(?:packages|apps|libs|modules|services|plugins|crates|components|projects|workspaces)\/[^/]+\/)?(?:src|lib|app|source|sources|python|code|server|backend|Lib|include|src\/main\/(?:java|kotlin|scala|groovy)|src\/test\/(?:java|kotlin|scala|groovy))?\/?$/
const WORKSPACES =
  /^(?:packages|apps|libs|modules|services|plugins|crates|components|projects|workspaces|gems|src\/packages)\/$/
const VENDORED =
  /(?:^|\/)(?:vendor|_?vendored?|_vendor|third[_-]?party|thirdparty|externals?|extern|deps|node_modules|site-packages|bundled)(?:\/|$)/i
const ASIDE =
  /(?:^|\/)(?:tests?|__tests__|spec|testdata|fixtures?|examples?|samples?|demos?|docs?|benchmarks?|templates?|project_template)(?:\/|$)/i

/** Source folders that may lie between a package's folder and a path that is published without them. */
export const SOURCE_FOLDERS: readonly string[] = ['', 'src/', 'lib/', 'source/']

/** Whether imports of sources usually start from a folder: the root of the repository, `src/`, `packages/x/lib/` … */
export const isSourceRoot = (folder: string): boolean => SOURCE_ROOT.test(folder)

/** Whether the folders in a folder are the packages of a monorepo. */
export const isWorkspaceRoot = (folder: string): boolean => WORKSPACES.test(folder)

/** Whether a folder holds a copy of someone else's code. */
export const isVendored = (folder: string): boolean => VENDORED.test(folder)

/** A rank for source roots when everything else is equal; higher is likelier. */
export function likelihoodOf(folder: string): number {
  if (folder === '') return 2
  if (isSourceRoot(folder) || isWorkspaceRoot(folder)) return 1.5
  return (isVendored(folder) ? -2 : 0) - (ASIDE.test(folder) ? 1 : 0)
}
