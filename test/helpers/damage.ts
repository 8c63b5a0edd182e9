import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Replaces a file by a new one: others may have the old content open, or share it by a hard link. */
function replace(path: string, content: Uint8Array): void {
  rmSync(path)
  writeFileSync(path, content)
}

/** What can happen to a file. */
export const DAMAGES = {
  empty: path => replace(path, Buffer.alloc(0)),
  'cut in half': path => {
    const content = readFileSync(path)
    replace(path, content.subarray(0, Math.floor(content.length / 2)))
  },
  'random bytes': path => replace(path, randomBytes(Math.max(64, readFileSync(path).length))),
  removed: path => rmSync(path),
  'a folder': path => {
    rmSync(path)
    mkdirSync(path)
    writeFileSync(join(path, 'something'), 'in it')
  },
  // as a sector that cannot be read: also root gets an error, ELOOP
  unreadable: path => {
    rmSync(path)
    symlinkSync(path, path)
  },
} as const satisfies Record<string, (path: string) => void>

/** The regular files below a folder, by their paths in it. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}
