// Keeps what indexing made in a folder between runs. What older code made stays there until somebody deletes it.
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'

const INDEXING = [
  'core/tokenize.ts',
  'core/source-text.ts',
  'outline/**/*.ts',
  'indexer/**/*.ts',
  'embedding/**/*.ts',
  'vecstore/lexical/*.ts',
]

function read(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function digestOfSources(): string {
  const source = fileURLToPath(new URL('../../src', import.meta.url))
  const digest = createHash('sha256')
  for (const pattern of INDEXING) {
    const paths = globSync(pattern, { cwd: source }).sort()
    if (paths.length === 0) throw new Error(`${pattern}: matches no source, so old indexes would pass for new ones.`)
    for (const path of paths) digest.update(path).update(readFileSync(join(source, path)))
  }
  return digest.digest('hex').slice(0, 12)
}

let version: string | null = null

function indexerVersion(): string {
  version ??= digestOfSources()
  return version
}

/** The cached result of `make`, plain data and typed arrays; made again when the code that indexes has changed. */
export async function remembered<T>(folder: string, key: string, make: () => Promise<T>): Promise<T> {
  const path = join(folder, indexerVersion(), createHash('sha256').update(key).digest('hex').slice(0, 24))
  const known = read(path)
  if (known !== null) return deserialize(known) as T
  const made = await make()
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, serialize(made))
  renameSync(`${path}.${process.pid}`, path)
  return made
}
