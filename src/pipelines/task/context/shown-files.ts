import { isBinaryName, isLockFileName, isMinifiedName, isUnsafePath } from '../../../core/file-names.ts'
import { isOfLibrary } from '../../../core/path-names.ts'

/** Whether a file lies in a folder that holds no sources, by a look at the whole tree. */
export type FolderFilter = (files: ReadonlyArray<{ path: string; size: number | null }>) => (path: string) => boolean

/** `dist`, `build` and `coverage` are ignored at the root; below it the tree says whether they hold sources. */
const IGNORED_FOLDER = /(?:^|\/)(?:\.[^/]*|node_modules|vendor|__pycache__)\/|^(?:dist|build|coverage)\//i
/** Beside those that are binary, pinned or minified by their names. */
const IGNORED_ENDING = /\.(?:svg|map|lock|min\.js|min\.css)$/i
/** A path with the fence of a Markdown block is shown nowhere: it could pass for one. */
const FENCE = '```'

/** The paths that may be shown. */
export interface ShownPaths {
  /** Those that are neither ignored by name nor lie in an ignored folder; sorted. */
  paths: readonly string[]
  /** The same with those of ignored folders, for what the task itself names. */
  withIgnored: readonly string[]
}

const isIgnoredFile = (path: string): boolean =>
  isUnsafePath(path) ||
  path.includes(FENCE) ||
  IGNORED_ENDING.test(path) ||
  isBinaryName(path) ||
  isLockFileName(path) ||
  isMinifiedName(path)

/** Leaves out what nobody reads: dependencies, output of builds, pinned versions, binary and minified files. */
export function shownPaths(sizes: ReadonlyMap<string, number>, folderFilter: FolderFilter): ShownPaths {
  const isInIgnoredFolder = folderFilter(Array.from(sizes, ([path, size]) => ({ path, size })))
  const withIgnored = [...sizes.keys()].filter(path => !isIgnoredFile(path))
  const paths = withIgnored.filter(path => !IGNORED_FOLDER.test(path) && !isOfLibrary(path) && !isInIgnoredFolder(path))
  return { paths, withIgnored }
}
