import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import { FaultlineError } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import { readTar } from '../uploads/read-tar.ts'
import { uploadedProject } from '../uploads/uploaded-remote.ts'
import { readCloneState } from './clone-state.ts'
import { contentsOf, type RepositoryName } from './local-copies.ts'
import { noSuchClone, TEMPORARY_PREFIX, type CloneContext } from './sync.ts'

/** What it is, and the file that it is written to or read from. */
export interface CloneArchive extends RepositoryName {
  /** A tar of the clone's folder. */
  archive: string
}

/** What git, or we, were writing when a process was killed. */
const UNFINISHED = /\.(?:lock|new|tmp)$|(?:^|\/)tmp_[^/]*$/
const MAX_ENTRIES = 1_000_000
/** The same clone gives the same bytes, whenever and wherever it is archived. */
const NO_TIME = new Date(0)
const READ_BYTES = 1_048_576

type Entry = { name: string; path: string; bytes: number; isFolder: boolean; isExecutable: boolean }

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Folders before what is in them; neither links nor sockets are a part of a clone. */
async function entriesBelow(gitDir: string): Promise<Entry[]> {
  const found = await readdir(gitDir, { recursive: true, withFileTypes: true })
  const entries = found.filter(entry => entry.isFile() || entry.isDirectory())
  const paths = entries.map(entry => ({ path: join(entry.parentPath, entry.name), isFolder: entry.isDirectory() }))
  const kept: Entry[] = []
  for (const { path, isFolder } of paths) {
    const name = relative(gitDir, path)
    if (UNFINISHED.test(name)) continue
    const { size, mode } = await stat(path)
    kept.push({ name, path, isFolder, bytes: isFolder ? 0 : size, isExecutable: (mode & 0o100) !== 0 })
  }
  return kept.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function addFile(tar: Pack, { name, path, bytes, isExecutable }: Entry, signal: AbortSignal): Promise<void> {
  const added = Promise.withResolvers<void>()
  const header = { name, size: bytes, mode: isExecutable ? 0o700 : 0o600, mtime: NO_TIME }
  const entry = tar.entry(header, error => (error ? added.reject(error) : added.resolve()))
  added.promise.catch(() => {}) // also awaited below
  await pipeline(createReadStream(path, { highWaterMark: READ_BYTES }), entry, { signal })
  await added.promise
}

async function fill(tar: Pack, entries: readonly Entry[], signal: AbortSignal): Promise<void> {
  try {
    for (const entry of entries) {
      if (entry.isFolder) tar.entry({ name: `${entry.name}/`, type: 'directory', mode: 0o700, mtime: NO_TIME })
      else await addFile(tar, entry, signal)
    }
    tar.finalize()
  } catch (error) {
    tar.destroy(error as Error)
    throw error
  }
}

/** Where it lies, and how one sees that it is what it should be. @throws {FaultlineError} NOT_FOUND: no such names. */
function placeOf(
  clonedReposDir: string,
  { repository, uploadedInto }: CloneArchive,
): { folder: string; isWhole: (folder: string) => Promise<boolean> } {
  if (!isProjectName(repository)) throw noSuchClone(repository)
  if (uploadedInto === null) {
    const isWhole = async (folder: string) => (await readCloneState(folder)) !== null
    return { folder: join(clonedReposDir, repository), isWhole }
  }
  if (!isProjectName(uploadedInto)) throw noSuchClone(repository)
  const isWhole = (folder: string) => isThere(join(folder, 'HEAD'))
  return { folder: join(uploadedProject(clonedReposDir, uploadedInto), repository.toLowerCase()), isWhole }
}

/**
 * Writes a clone into a tar, while nothing else writes to the clone.
 *
 * @returns The commits in it that no remote may have, or that projects have indexed.
 * @throws {FaultlineError} NOT_FOUND; the signal's reason.
 */
export async function archiveClone(
  { clonedReposDir, searchPath, mutexes }: Pick<CloneContext, 'clonedReposDir' | 'searchPath' | 'mutexes'>,
  request: CloneArchive,
  signal: AbortSignal,
): Promise<{ commits: string[] }> {
  const { repository, archive } = request
  async function write(): Promise<{ commits: string[] }> {
    const { folder, isWhole } = placeOf(clonedReposDir, request)
    if (!(await isWhole(folder))) throw noSuchClone(repository)
    const tar = pack()
    const writing = pipeline(tar, createWriteStream(archive, { flags: 'wx', mode: 0o600 }), { signal })
    writing.catch(() => {}) // also awaited below
    const commits = (await contentsOf(folder, request, { searchPath, signal }))?.commits ?? []
    await fill(tar, await entriesBelow(folder), signal)
    await writing
    return { commits }
  }
  return await mutexes.run(repository.toLowerCase(), write, signal)
}

async function unpack(archive: string, folder: string, maxBytes: number): Promise<void> {
  const source = createReadStream(archive, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>
  for await (const { name, type, isExecutable, body } of readTar(source, { maxEntries: MAX_ENTRIES, maxBytes })) {
    const path = join(folder, name)
    if (type === 'folder') await mkdir(path, { recursive: true, mode: 0o700 })
    else if (type === 'file') await writeFile(path, body(), { flag: 'wx', mode: isExecutable ? 0o700 : 0o600 })
    else throw new FaultlineError('REPOSITORY_CORRUPT', `The archive of a clone holds a link, ${JSON.stringify(name)}.`)
  }
}

/**
 * Makes a clone of a tar that `archiveClone` wrote: it appears whole, by a rename, or not at all.
 *
 * @returns Whether it was made; false: there is a clone of the name already, which stays as it is.
 * @throws {FaultlineError} REPOSITORY_CORRUPT, REPOSITORY_TOO_LARGE, BAD_PATH; the signal's reason.
 */
export async function unarchiveClone(
  { clonedReposDir, mutexes, limits }: Pick<CloneContext, 'clonedReposDir' | 'mutexes' | 'limits'>,
  request: CloneArchive,
  signal: AbortSignal,
): Promise<boolean> {
  const { repository, archive } = request
  async function read(): Promise<boolean> {
    const { folder, isWhole } = placeOf(clonedReposDir, request)
    if (await isThere(folder)) return false
    const draft = join(clonedReposDir, `${TEMPORARY_PREFIX}${randomUUID()}`)
    await mkdir(draft, { recursive: true, mode: 0o700 })
    try {
      await unpack(archive, draft, limits.maxBytes)
      signal.throwIfAborted()
      if (!(await isWhole(draft))) throw new FaultlineError('REPOSITORY_CORRUPT', 'The archive of a clone holds none.')
      await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
      await rename(draft, folder)
      return true
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }
  return await mutexes.run(repository.toLowerCase(), read, signal)
}
