import { createHash } from 'node:crypto'
import { FaultlineError } from '../../core/errors.ts'
import { MAX_FILE_BYTES, type JobFile } from '../../core/job.ts'
import { safePath } from '../../core/safe-path.ts'
import type { FileTable, JobKey } from '../store/job-store.ts'
import type { RunKey } from '../store/run-key.ts'
import type { KeptFiles } from '../job-context.ts'
import { LostBytesError, type FileBytes } from './file-bytes.ts'

const MAX_FILES = 10_000
const MAX_JOB_BYTES = 64 * 1024 * 1024

/** Content by path; null takes the file away. */
type FileChanges = Parameters<KeptFiles['put']>[0]

interface Entry {
  path: string
  content: Uint8Array | null
  sha256: string
}

const checksumOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

function entryOf(path: string, given: string | Uint8Array | null): Entry {
  if (safePath(path) !== path) {
    throw new FaultlineError('BAD_PATH', `${JSON.stringify(path)} is no path of a file within a folder.`)
  }
  const content = typeof given === 'string' ? Buffer.from(given) : given
  return { path, content, sha256: content === null ? '' : checksumOf(content) }
}

/** @throws {FaultlineError} BAD_PATH when a file of the set would have to be a folder, too. */
function checkFolders(path: string, paths: ReadonlySet<string>): void {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const folder = path.slice(0, at)
    if (paths.has(folder)) {
      throw new FaultlineError(
        'BAD_PATH',
        `${JSON.stringify(folder)} is a file, so ${JSON.stringify(path)} cannot be one.`,
      )
    }
  }
}

/** @throws {FaultlineError} BAD_PATH, PAYLOAD_TOO_LARGE for a set of files that no job can keep. */
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
    checkFolders(path, paths)
  }
  if (files.length > MAX_FILES || total > MAX_JOB_BYTES) {
    throw new FaultlineError(
      'PAYLOAD_TOO_LARGE',
      `The job would keep ${files.length} files of ${total} bytes; at most ${MAX_FILES} of ${MAX_JOB_BYTES} are kept.`,
    )
  }
}

/** The files after a change. */
function changedFiles(files: readonly JobFile[], entries: readonly Entry[]): JobFile[] {
  const kept = new Map(files.map(file => [file.path, file]))
  for (const { path, content, sha256 } of entries) {
    if (content === null) kept.delete(path)
    else kept.set(path, { path, bytes: content.byteLength, sha256 })
  }
  return [...kept.values()]
}

function damaged({ path }: Pick<JobFile, 'path'>, cause?: unknown): FaultlineError {
  return new FaultlineError(
    'DATA_DAMAGED',
    `The bytes of ${JSON.stringify(path)}, which the job keeps, are gone or damaged.`,
    'POST /jobs/{id}/retry without from_step makes them again.',
    { cause },
  )
}

/**
 * The files of jobs: their bytes by their checksums, what they are called in a table. So no name from outside is ever a
 * name on the disk, a set of files changes in one transaction, and what a step kept can be told from what came later.
 */
export class JobFiles {
  readonly #table: FileTable
  readonly #bytes: FileBytes

  constructor(table: FileTable, bytes: FileBytes) {
    this.#table = table
    this.#bytes = bytes
  }

  /** The files of one job, as the pipeline of this run sees them. */
  of(job: JobKey & RunKey): KeptFiles {
    return {
      put: files => this.#put(job, files),
      list: () => this.list(job.seq),
      read: path => this.read(job, path),
      readVersion: file => this.readStored(job.id, file),
    }
  }

  list(seq: number): Promise<JobFile[]> {
    return this.#table.list(seq)
  }

  /** @throws {FaultlineError} NOT_FOUND. */
  async read({ id, seq }: JobKey, path: string): Promise<Buffer> {
    const file = await this.#table.find(seq, path)
    if (file === null) {
      throw new FaultlineError(
        'NOT_FOUND',
        `The job keeps no file ${JSON.stringify(path)}.`,
        'GET /jobs/{id}/files lists them.',
      )
    }
    return this.readStored(id, file)
  }

  /** @throws {FaultlineError} DATA_DAMAGED: the bytes are gone, or not those that were kept. */
  async readStored(id: string, file: JobFile): Promise<Buffer> {
    const content = await this.#bytes.read(id, file).catch((cause: unknown) => {
      throw cause instanceof FaultlineError ? cause : damaged(file, cause)
    })
    if (content === null) throw damaged(file)
    return content
  }

  /** Takes back what a step put that was cut off. */
  dropUnfinished(run: RunKey): Promise<void> {
    return this.#table.dropUnfinished(run)
  }

  /** Gives a job that is about to be made the bytes that another one kept before its step number `before`. */
  async linkTo(id: string, from: JobKey, before: number): Promise<void> {
    const checksums = await this.#table.checksums(from.seq, before)
    if (checksums.length === 0) return
    await this.#bytes.share(id, from.id, checksums).catch((cause: unknown) => {
      throw cause instanceof LostBytesError ? damaged({ path: cause.sha256 }, cause) : cause
    })
  }

  async #put(job: JobKey & RunKey, files: FileChanges): Promise<void> {
    const entries = [...files].map(([path, content]) => entryOf(path, content))
    checkManifest(changedFiles(await this.#table.list(job.seq), entries))
    const contents = new Map<string, Uint8Array>()
    for (const { content, sha256 } of entries) if (content !== null) contents.set(sha256, content)
    await this.#bytes.put(job.id, contents)
    await this.#table.put(
      job,
      entries.map(({ path, content, sha256 }) =>
        content === null ? { path, bytes: null, sha256: null } : { path, bytes: content.byteLength, sha256 },
      ),
    )
  }
}
