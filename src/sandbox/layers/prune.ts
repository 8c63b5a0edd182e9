import { dirname } from 'node:path'

/** Names the files of the project that the install got; removed with them. */
const LIST = '.faultline-given'
const FOLDERS = '.faultline-given-folders'

/**
 * Runs in the jail, where no link of a hostile package leads anywhere: takes away what the install was given, so that
 * only what it made is kept, then all that is neither file, folder nor link, and what would give rights away.
 */
export const PRUNE = [
  'set -e; cd /workspace;',
  `xargs -0 -r -a "$HOME/${LIST}" rm -f --;`,
  `xargs -0 -r -a "$HOME/${FOLDERS}" rmdir --ignore-fail-on-non-empty -- 2>/dev/null || true;`,
  `rm -f -- "$HOME/${LIST}" "$HOME/${FOLDERS}";`,
  'find . "$HOME" ! -type f ! -type d ! -type l -delete;',
  'find . "$HOME" ! -type l -perm /6000 -exec chmod ug-s -- {} +',
].join(' ')

/** No program that the install left in HOME. */
export const PRUNE_ENV = { PATH: '/usr/bin:/bin' }

/** Every folder on the way to the paths, the deepest first. */
function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let at = dirname(path); at !== '.'; at = dirname(at)) folders.add(at)
  }
  return [...folders].sort((a, b) => b.split('/').length - a.split('/').length)
}

const listed = (paths: readonly string[]): string => paths.map(path => `${path}\0`).join('')

/** The files that `PRUNE` reads, for HOME. */
export const pruneLists = (given: readonly string[]): Map<string, string> =>
  new Map([
    [LIST, listed(given)],
    [FOLDERS, listed(foldersOf(given))],
  ])
