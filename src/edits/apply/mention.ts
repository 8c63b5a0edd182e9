import type { Workspace } from './workspace.ts'

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
function firstFolder(path: string): string | null {
  const end = path.indexOf('/')
  return end < 0 ? null : path.slice(0, end)
}

/**
 * Returns the file that a name with `@` means where a file is written: the one of that name, or in that folder, when
 * there is one; else the one without `@`. A folder `@types` that is new stays what it is, as long as the name can mean
 * nothing else.
 *
 * @returns `unclear`: why the name may mean several files, for the model.
 */
export function meantPath(
  path: string,
  workspace: Pick<Workspace, 'targets' | 'isFolder' | 'has'>,
): { path: string } | { unclear: string } {
  const rest = withoutMention(path)
  if (rest === null || workspace.has(path)) return { path }
  const folder = firstFolder(path)
  if (folder !== null && workspace.isFolder(folder)) return { path }
  const found = workspace.targets.find(rest)
  const similar = 'path' in found ? [found.path] : found.candidates
  const same = similar.find(own => own.toLowerCase() === rest.toLowerCase())
  if ('path' in found && same !== undefined) return { path: same }
  const longer = similar.filter(own => own.toLowerCase().endsWith(`/${rest.toLowerCase()}`))
  const likely = same === undefined ? longer : [same, ...longer]
  if (likely.length > 0) {
    return { unclear: `There is no ${path}. Did you mean ${likely.join(', ')}? Write the name without "@".` }
  }
  const inside = firstFolder(rest)
  if (inside !== null && workspace.isFolder(inside)) return { path: rest }
  return folder === '@'
    ? { unclear: `There is no folder "@" for ${path}. Write the path from the root of the project.` }
    : { path }
}
