import fs from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import git from 'isomorphic-git'
import { FaultlineError } from '../../core/errors.ts'
import { startGit } from '../git/git-process.ts'
import { openLocalGit, type LocalGit } from '../clone/local-git.ts'
import { readBlobs } from './objects.ts'

const SMALL_PACKS_BYTES = 20 * 1_048_576
const MAX_FILE_BYTES = 16 * 1_048_576
const MAX_CACHED_CLONES = 4

/** Reads single files of a clone at any commit that it contains. */
interface FileReader {
  /**
   * The content of a regular file; null when the commit has no such file (links, folders and submodules do not count)
   * or is missing. Read in process where the packs are small in sum and contain nothing that unpacks to more than 16
   * MiB; else by git, about 10 ms.
   *
   * @throws {FaultlineError} PAYLOAD_TOO_LARGE: more than 16 MiB.
   */
  readFile(gitDir: string, commit: string, path: string): Promise<Buffer | null>
}

interface CachedClone {
  packs: string
  inProcess: boolean
  cache: object
}

function isTreePath(path: string): boolean {
  return (
    path !== '' &&
    path.length <= 4_096 &&
    !path.includes('\0') &&
    path.isWellFormed() &&
    path.split('/').every(part => part !== '' && part !== '.' && part !== '..')
  )
}

async function listPacks(gitDir: string): Promise<{ names: string[]; bytes: number }> {
  const folder = join(gitDir, 'objects', 'pack')
  const names = (await readdir(folder)).filter(name => name.endsWith('.pack')).sort()
  const sizes = await Promise.all(
    names.map(async name => (await stat(join(folder, name)).catch(() => null))?.size ?? 0),
  )
  return { names, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/**
 * Whether a pack contains a large object: a pack of few bytes can hold gigabytes, and isomorphic-git unpacks whatever
 * it is asked for in one piece.
 */
async function holdsLargeObject(gitDir: string, searchPath: string): Promise<boolean> {
  const running = startGit(
    ['cat-file', '--batch-all-objects', '--unordered', '--batch-check=%(objectsize)', '--buffer'],
    { gitDir, searchPath },
  )
  running.child.stdin.end()
  let digits = 0
  try {
    for await (const chunk of running.child.stdout as AsyncIterable<Buffer>) {
      for (const byte of chunk) {
        digits = byte === 10 ? 0 : digits + 1
        if (digits >= String(MAX_FILE_BYTES).length) return true // 10,000,000 or more
      }
    }
    return (await running.ended).exitCode !== 0
  } finally {
    running.kill()
  }
}

const isRegular = (mode: string): boolean => mode.startsWith('100')

async function readInProcess(gitdir: string, commit: string, path: string, cache: object): Promise<Buffer | null> {
  const slash = path.lastIndexOf('/')
  try {
    const { tree } = await git.readTree({
      fs,
      gitdir,
      cache,
      oid: commit,
      ...(slash < 0 ? {} : { filepath: path.slice(0, slash) }),
    })
    const entry = tree.find(candidate => candidate.path === path.slice(slash + 1))
    if (entry === undefined || !isRegular(entry.mode)) return null
    const { blob } = await git.readBlob({ fs, gitdir, cache, oid: entry.oid })
    return Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength)
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError || error instanceof git.Errors.ObjectTypeError) return null
    throw error
  }
}

async function readByGit(local: LocalGit, commit: string, path: string): Promise<Buffer | null> {
  const { exitCode, stdout } = await local.run(['ls-tree', '-z', '-l', '--full-tree', commit, '--', path])
  const match = /^(\d{6}) blob ([0-9a-f]+) +(\d+)\t([^\0]*)\0$/.exec(stdout.toString())
  const oid = match?.[2]
  if (exitCode !== 0 || oid === undefined || match?.[4] !== path || !isRegular(match[1] ?? '')) return null
  if (Number(match[3]) > MAX_FILE_BYTES) {
    throw new FaultlineError('PAYLOAD_TOO_LARGE', `"${path}" is larger than 16 MiB.`)
  }
  const blobs = readBlobs(local.gitDir, [oid])
  const { value } = await blobs.next()
  await blobs.return(undefined)
  return value?.bytes ?? null
}

/**
 * Reads files from clones.
 *
 * @param smallPacksBytes - Packs up to this sum are read in process; 0 for never.
 */
export function createFileReader({
  searchPath,
  smallPacksBytes = SMALL_PACKS_BYTES,
}: {
  searchPath: string
  smallPacksBytes?: number
}): FileReader {
  const clones = new Map<string, CachedClone>() // the least recently used one first

  async function look(gitDir: string): Promise<CachedClone> {
    const { names, bytes } = await listPacks(gitDir)
    const known = clones.get(gitDir)
    clones.delete(gitDir)
    const packs = names.join('\n')
    const clone =
      known?.packs === packs
        ? known
        : { packs, inProcess: bytes < smallPacksBytes && !(await holdsLargeObject(gitDir, searchPath)), cache: {} }
    clones.set(gitDir, clone)
    const oldest = clones.keys().next().value
    if (clones.size > MAX_CACHED_CLONES && oldest !== undefined) clones.delete(oldest)
    return clone
  }

  return {
    async readFile(gitDir, commit, path) {
      if (!isTreePath(path)) return null
      const clone = await look(gitDir)
      return clone.inProcess
        ? await readInProcess(gitDir, commit, path, clone.cache)
        : await readByGit(openLocalGit(gitDir, { searchPath }), commit, path)
    },
  }
}
