import type { Workspace } from './apply-edits.ts'

/**
 * A path without the `@` that some tools put before the files they mention, or before the folder of an alias
 * (`@/x.ts`); null for any other.
 */
export function withoutMention(path: string): string | null {
  if (!path.startsWith('@')) return null
  let from = 1
  while (path[from] === '/') from++
  return from === path.length ? null : path.slice(from)
}

/** The first folder of a path. */
function folderOf(path: string): string | null {
  const end = path.indexOf('/')
  return end < 0 ? null : path.slice(0, end)
}

/**
 * The file that a name with `@` means where a file is written: the one of that name, or in that folder, when there is
 * one; else the one without `@`. A folder `@types` that is new stays what it is, as long as the name can mean nothing
 * else.
 *
 * @returns `unclear`: why nobody can tell.
 */
export function meantPath(
  path: string,
  { targets, isFolder, has }: Pick<Workspace, 'targets' | 'isFolder' | 'has'>,
): { path: string } | { unclear: string } {
  const rest = withoutMention(path)
  if (rest === null || has(path)) return { path }
  const folder = folderOf(path)
  if (folder !== null && isFolder(folder)) return { path }
  const found = targets.find(rest)
  const similar = 'path' in found ? [found.path] : found.candidates
  const same = similar.find(own => own.toLowerCase() === rest.toLowerCase())
  if ('path' in found && same !== undefined) return { path: same }
  const likely = similar.filter(own => own.toLowerCase().endsWith(`/${rest.toLowerCase()}`))
  if (same !== undefined || likely.length > 0) {
    return {
      unclear: `There is no ${path}. Did you mean ${[...(same === undefined ? [] : [same]), ...likely].join(', ')}? Write the name without "@".`,
    }
  }
  const inside = folderOf(rest)
  if (inside !== null && isFolder(inside)) return { path: rest }
  return folder === '@'
    ? { unclear: `There is no folder "@" for ${path}. Write the path from the root of the project.` }
    : { path }
}
