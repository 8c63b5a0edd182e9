import { createHash, randomUUID } from 'node:crypto'
import { constants, linkSync, mkdirSync } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { FaultlineError } from '../../core/errors.ts'
import { MAX_FILE_BYTES, type JobFile } from '../../core/job.ts'
import { safePath } from '../../core/safe-path.ts'
import { transaction } from '../store/database.ts'

/** The files that a job keeps, as its pipeline sees them. */
export interface KeptFiles {
  /**
   * Adds files, or puts others in their place; null takes one away. All of them or none.
   *
   * @throws {FaultlineError} BAD_PATH; PAYLOAD_TOO_LARGE when the job would keep too much.
   */
  put(files: ReadonlyMap<string, string | Uint8Array | null>): Promise<void>
  /** By path. */
  list(): JobFile[]
  /** @throws {FaultlineError} NOT_FOUND. */
  read(path: string): Promise<Buffer>
  /** A file as `list` told of it once, whatever its path holds by now. */
  readVersion(file: JobFile): Promise<Buffer>
}

export interface JobFilesOptions {
  db: DatabaseSync
  /** The server's own folder of a job. */
  folderOf: (id: string) => string
  nextPosition: (seq: number) => number
}

/** Each waits for the disk, which takes several together as quickly as one. */
const WRITES_AT_ONCE = 8
const MAX_FILES = 10_000
const MAX_JOB_BYTES = 64 * 1024 * 1024

type JobKey = { id: string; seq: number }

export type JobFiles = ReturnType<typeof createJobFiles>

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

function entryOf(
  path: string,
  given: string | Uint8Array | null,
): { path: string; content: Uint8Array | null; sha256: string } {
  if (safePath(path) !== path) {
    throw new FaultlineError('BAD_PATH', `${JSON.stringify(path)} is no path of a file within a folder.`)
  }
  const content = typeof given === 'string' ? Buffer.from(given) : given
  return { path, content, sha256: content === null ? '' : hashOf(content) }
}

function checkManifest(files: readonly JobFile[]): void {
  const paths = new Set(files.map(file => file.path))
  let total = 0
  for (const { path, bytes } of files) {
    total += bytes
    if (bytes > MAX_FILE_BYTES) {
      throw new FaultlineError(
        'PAYLOAD_TOO_LARGE',
        `The file ${JSON.stringify(path)} has ${bytes} bytes; a job keeps files of up to ${MAX_FILE_BYTES}.`,
      )
    }
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      if (paths.has(path.slice(0, at))) {
        throw new FaultlineError(
          'BAD_PATH',
          `${JSON.stringify(path.slice(0, at))} is a file, so ${JSON.stringify(path)} cannot be one.`,
        )
      }
    }
  }
  if (files.length > MAX_FILES || total > MAX_JOB_BYTES) {
    throw new FaultlineError(
      'PAYLOAD_TOO_LARGE',
      `The job would keep ${files.length} files of ${total} bytes; at most ${MAX_FILES} of ${MAX_JOB_BYTES} are kept.`,
    )
  }
}

/**
 * Files of jobs: their bytes in the job's folder under the names of their hashes, what they are called in a table. So
 * no name from outside is ever a name on the disk, a set of files changes in one transaction, and what a step kept can
 * be told from what came later.
 */
export function createJobFiles({ db, folderOf, nextPosition }: JobFilesOptions) {
  // The newest entry of each path; `bytes` is null where it was taken away.
  const current =
    db.prepare(`SELECT path, bytes, sha256 FROM (SELECT path, bytes, sha256, max(position) FROM job_files WHERE job_seq = ? GROUP BY path)
    WHERE sha256 IS NOT NULL ORDER BY path`)
  const one = db.prepare(
    'SELECT path, bytes, sha256 FROM job_files WHERE job_seq = ? AND path = ? ORDER BY position DESC LIMIT 1',
  )
  const add = db.prepare(
    'INSERT OR REPLACE INTO job_files (job_seq, path, position, bytes, sha256) VALUES (?, ?, ?, ?, ?)',
  )
  const copy = db.prepare(
    'INSERT INTO job_files (job_seq, path, position, bytes, sha256) SELECT ?, path, position, bytes, sha256 FROM job_files WHERE job_seq = ? AND position < ?',
  )
  const dropFrom = db.prepare('DELETE FROM job_files WHERE job_seq = ? AND position >= ?')
  const hashes = db.prepare('SELECT DISTINCT sha256 FROM job_files WHERE job_seq = ? AND sha256 IS NOT NULL')

  const bytesFolder = (id: string) => join(folderOf(id), 'files')
  const list = (seq: number): JobFile[] =>
    current.all(seq).map(row => ({ path: String(row.path), bytes: Number(row.bytes), sha256: String(row.sha256) }))

  /** Under a fresh name, then under that of its hash: a file is there whole or not at all. */
  async function store(folder: string, sha256: string, content: Uint8Array): Promise<void> {
    const fresh = join(folder, `${randomUUID()}.tmp`)
    const file = await open(
      fresh,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    )
    try {
      await file.writeFile(content)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(fresh, join(folder, sha256))
  }

  async function put({ id, seq }: JobKey, files: ReadonlyMap<string, string | Uint8Array | null>): Promise<void> {
    const position = nextPosition(seq)
    const entries = [...files].map(([path, content]) => entryOf(path, content))
    const kept = new Map(list(seq).map(file => [file.path, file]))
    for (const { path, content, sha256 } of entries) {
      if (content === null) kept.delete(path)
      else kept.set(path, { path, bytes: content.byteLength, sha256 })
    }
    checkManifest([...kept.values()])
    await mkdir(bytesFolder(id), { recursive: true, mode: 0o700 })
    const contents = new Map(
      entries.flatMap(({ content, sha256 }) => (content === null ? [] : [[sha256, content] as const])),
    )
    const left = contents.entries()
    await Promise.all(
      Array.from({ length: WRITES_AT_ONCE }, async () => {
        for (const [sha256, content] of left) await store(bytesFolder(id), sha256, content)
      }),
    )
    transaction(db, () => {
      for (const { path, content, sha256 } of entries) {
        add.run(seq, path, position, content === null ? null : content.byteLength, content === null ? null : sha256)
      }
    })
  }

  async function readStored(id: string, { path, bytes, sha256 }: JobFile): Promise<Buffer> {
    await using file = await open(
      join(bytesFolder(id), sha256),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    )
    const stat = await file.stat()
    if (!stat.isFile() || stat.size !== bytes) {
      throw new Error(`the stored bytes of ${JSON.stringify(path)} are not those that were kept`)
    }
    const content = await file.readFile()
    if (hashOf(content) !== sha256) {
      throw new Error(`the stored bytes of ${JSON.stringify(path)} are not those that were kept`)
    }
    return content
  }

  async function read({ id, seq }: JobKey, path: string): Promise<Buffer> {
    const row = one.get(seq, path)
    if (typeof row?.sha256 !== 'string') {
      throw new FaultlineError(
        'NOT_FOUND',
        `The job keeps no file ${JSON.stringify(path)}.`,
        'GET /jobs/{id}/files lists them.',
      )
    }
    return readStored(id, { path, bytes: Number(row.bytes), sha256: row.sha256 })
  }

  return {
    list,
    readStored,
    read,
    of: (job: JobKey): KeptFiles => ({
      put: files => put(job, files),
      list: () => list(job.seq),
      read: path => read(job, path),
      readVersion: file => readStored(job.id, file),
    }),
    /** Takes back what a step put that was cut off: run again, it finds what it found the first time. */
    dropUnfinished: (seq: number): void => {
      dropFrom.run(seq, nextPosition(seq))
    },
    /**
     * Gives a new job what another one had kept before its step number `before`; within a transaction of the caller, so
     * with blocking calls.
     */
    adopt(from: JobKey, to: JobKey, before: number): void {
      copy.run(to.seq, from.seq, before)
      const names = hashes.all(to.seq).map(row => String(row.sha256))
      if (names.length > 0) mkdirSync(bytesFolder(to.id), { recursive: true, mode: 0o700 })
      for (const name of names) linkSync(join(bytesFolder(from.id), name), join(bytesFolder(to.id), name))
    },
  }
}
