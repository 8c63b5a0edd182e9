/** The last part of a path with slashes: the name of its file. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The base name in small letters, to compare names whose capital letters do not count. */
export const lowerBaseName = (path: string): string => baseName(path).toLowerCase()

/** All of a path before its last part, with the slash at its end; empty for a file at the root. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

const LIBRARIES =
  /(?:^|\/)(?:_vendor|_?vendored|third[_-]?party|node_modules|bower_components|site-packages)\/[^/]+\/|^(?:vendor|externals?|extern|deps|bundled)\/[^/]+\/|(?:^|\/)vendor\/[\w-]+(?:\.[\w-]+)+\//i

/**
 * Whether a file belongs to a library of which the repository keeps a copy, judged by folders that hold nothing else. A
 * `vendor` folder deeper down may be the project's subject, unless a host follows.
 */
export const isOfLibrary = (path: string): boolean => LIBRARIES.test(path)
