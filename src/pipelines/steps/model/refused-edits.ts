import type { ReadReply } from '../../../edits/edit.ts'

/** The paths among these that may not be changed, with the reason. */
export async function refusals(
  paths: readonly string[],
  refusal: (path: string) => Promise<string | null>,
): Promise<Map<string, string>> {
  const refused = new Map<string, string>()
  for (const path of paths) {
    const reason = await refusal(path)
    if (reason !== null) refused.set(path, reason)
  }
  return refused
}

function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at))
  return folders
}

/**
 * Files that cannot be where a reply puts them, with the reason: a folder has the name, or a file that of a folder on
 * the way. The reply was read with some of the files alone.
 */
export function blockedPaths(
  paths: readonly string[],
  { changed, deleted }: { changed: ReadonlyMap<string, string>; deleted: readonly string[] },
): Map<string, string> {
  const all = new Set([...paths, ...changed.keys()])
  for (const path of deleted) all.delete(path)
  const folders = new Set([...all].flatMap(foldersOf))
  const blocked = new Map<string, string>()
  for (const path of changed.keys()) {
    const file = foldersOf(path).find(folder => all.has(folder))
    if (file !== undefined) blocked.set(path, `${file} is a file, no folder.`)
    else if (folders.has(path)) blocked.set(path, `${path} is a folder.`)
  }
  return blocked
}

/**
 * The reply without its edits of some files: they are not to be remembered as done. A name that is no known file means
 * one by its end, or in another case.
 */
export function withoutEdits(
  { files, diffs, perhaps, ...rest }: ReadReply,
  { of: paths, known }: { of: ReadonlyMap<string, unknown>; known: ReadonlyMap<string, unknown> },
): ReadReply {
  const means = (name: string, path: string): boolean => {
    const [a, b] = [name.toLowerCase(), path.toLowerCase()]
    return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)
  }
  const isLeftOut = (name: string | null): boolean =>
    name !== null && (paths.has(name) || (!known.has(name) && [...paths.keys()].some(path => means(name, path))))
  return {
    files: files.filter(({ path }) => !isLeftOut(path)),
    diffs: diffs.filter(({ oldPath, newPath }) => !isLeftOut(oldPath) && !isLeftOut(newPath)),
    perhaps: perhaps.filter(({ file }) => !isLeftOut(file.path)),
    ...rest,
  }
}
