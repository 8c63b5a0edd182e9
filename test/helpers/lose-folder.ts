import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Takes a folder away from a server that goes on: moved at once, where deleting one file after the other would fail for
 * what a git or a thread of it still writes there.
 */
export function loseFolder(root: string, name: string): void {
  const lost = join(root, 'lost')
  mkdirSync(lost, { recursive: true })
  renameSync(join(root, name), join(lost, name.replaceAll('/', '-')))
}
