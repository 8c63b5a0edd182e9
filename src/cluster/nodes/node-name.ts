import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

const FILE = 'node-name'
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/
/** With the suffix a name has at most 63 characters. */
const MAX_HOST_CHARS = 58

/** A name that nobody else is likely to have. */
function newName(host: string): string {
  const plain = host
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_HOST_CHARS)
  return `${plain === '' ? 'node' : plain}-${randomBytes(2).toString('hex')}`
}

/**
 * The name of this node, the same after each restart: it lies in the data folder, which no other process uses. A folder
 * that cannot be written to costs only that.
 */
export function nodeNameIn(dataDir: string, host = hostname()): string {
  const file = join(dataDir, FILE)
  try {
    const known = readFileSync(file, 'utf8').trim()
    if (NAME.test(known)) return known
  } catch {
    // there is none yet
  }
  const name = newName(host)
  try {
    writeFileSync(file, `${name}\n`, { mode: 0o600 })
  } catch {
    // the next start makes another one up
  }
  return name
}
