import { RecentlyUsed } from './recently-used.ts'

const MAX_KEPT = 1_000

/**
 * Reads again only what has changed since: what was read for a key counts as long as its version is the same. The same
 * value goes to all who ask, so nobody may change it.
 *
 * @param versionOf - Null while there is nothing to read, or nothing that differs from another version.
 * @param read - What it throws goes to the caller, and the next one reads again.
 */
export function rememberVersion<T>(
  versionOf: (key: string) => Promise<string | null>,
  read: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  const known = new RecentlyUsed<string, { version: string; value: T }>(MAX_KEPT, () => 1)

  return async key => {
    const version = await versionOf(key)
    const before = known.find(key)
    if (before !== undefined && before.version === version) return before.value
    const value = await read(key)
    if (version === null || version !== (await versionOf(key))) {
      known.delete(key)
    } // it changed while it was read: nobody knows which it is
    else known.set(key, { version, value })
    return value
  }
}
