import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { FaultlineError } from '../core/errors.ts'
import { namingFullDisk } from '../core/full-disk.ts'
import type { JobStatus } from '../core/job.ts'
import type { DiskRoom } from '../jobs/disk-room.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { SharedUploads } from '../replication/shared-uploads.ts'
import { uploadKind } from '../repos/uploads/ingest.ts'
import { uploadsFolder } from '../repos/uploads/uploaded-remote.ts'

const MIB = 1_048_576
/** The disk is looked at whenever so much was written. */
const LOOK_BYTES = 64 * MIB
/** As long as a request may take to arrive elsewhere: a sender that stops for this long has gone. */
const SILENCE_MS = 30_000
/** A file that no job was made for yet may still be arriving. */
const ARRIVAL_MS = 2 * 3_600_000
const PAGE = 200
const ACTIVE: readonly JobStatus[] = ['queued', 'running', 'waiting']

/** A file that was received. */
export interface ReceivedUpload {
  /** Names it from now on. */
  upload: string
  sha256: string
}

/** Files that clients send, until their jobs have read them. */
export interface Uploads {
  /**
   * Writes a stream to the disk as it comes.
   *
   * @throws {FaultlineError} PAYLOAD_TOO_LARGE, DISK_FULL, REQUEST_TIMEOUT; UNSUPPORTED_MEDIA_TYPE for what is neither
   * a bundle nor a gzip archive.
   */
  receive(source: AsyncIterable<Uint8Array>, options: { bytes?: number; signal: AbortSignal }): Promise<ReceivedUpload>
  discard(upload: string): Promise<void>
  /** Removes what jobs that have ended left. */
  sweep(): Promise<void>
}

interface UploadsDeps {
  disk: DiskRoom
  /** Where other nodes find what was received here; left out on a machine of its own. */
  shared?: Pick<SharedUploads, 'keep'>
  jobs: Pick<Jobs, 'list' | 'input'>
}

function tooLarge(maxBytes: number): FaultlineError {
  return new FaultlineError(
    'PAYLOAD_TOO_LARGE',
    `The file is larger than ${Math.floor(maxBytes / MIB)} MiB.`,
    'Bundle fewer branches or a shallow clone, or set UPLOAD_LIMIT_MB higher on the server.',
  )
}

const unknownKind = (): FaultlineError =>
  new FaultlineError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The file is neither a git bundle nor a .tar.gz.',
    'Send its bytes as they are: curl -T shop.bundle -X POST …; "git bundle create shop.bundle --all" makes one.',
  )

const tooSlow = (): FaultlineError =>
  new FaultlineError('REQUEST_TIMEOUT', `Nothing of the file arrived for ${SILENCE_MS / 1000} s.`, 'Send it again.')

/** The pieces of a stream; fails when none comes for a while. */
async function* whileItComes(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]()
  for (;;) {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(tooSlow()), SILENCE_MS)
    const leave = (): void => late.reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      signal.throwIfAborted()
      const next = await Promise.race([pieces.next(), late.promise])
      if (next.done === true) return
      yield next.value
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
  }
}

/** Receives files into the folder of the clones, whose disk they will need anyway. */
export function createUploads(
  { clonedReposDir, uploadLimitBytes }: Pick<Config, 'clonedReposDir' | 'uploadLimitBytes'>,
  { disk, shared, jobs }: UploadsDeps,
): Uploads {
  const folder = uploadsFolder(clonedReposDir)
  const discard = (upload: string): Promise<void> => rm(join(folder, upload), { force: true })

  async function requireRoom(): Promise<void> {
    const refusal = await disk.refusal()
    if (refusal !== null) throw refusal
  }

  async function write(file: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
    const hash = createHash('sha256')
    const handle = await open(file, 'wx', 0o600)
    let bytes = 0
    let looked = 0
    let start = Buffer.alloc(0)
    try {
      for await (const piece of whileItComes(source, signal)) {
        bytes += piece.length
        if (bytes > uploadLimitBytes) throw tooLarge(uploadLimitBytes)
        if (start.length < 32) start = Buffer.concat([start, piece]).subarray(0, 32)
        if (start.length >= 32 && uploadKind(start) === null) throw unknownKind()
        if (bytes - looked > LOOK_BYTES) {
          await requireRoom()
          looked = bytes
        }
        hash.update(piece)
        await handle.write(piece)
      }
      if (uploadKind(start) === null) throw unknownKind()
      await handle.sync()
    } finally {
      await handle.close()
    }
    return hash.digest('hex')
  }

  async function needed(): Promise<Set<string>> {
    const found = new Set<string>()
    for (const status of ACTIVE) {
      let before: number | null = null
      do {
        const page: Awaited<ReturnType<Jobs['list']>> = await jobs.list({ type: 'clone', status }, PAGE, before)
        for (const { id } of page) {
          const { upload } = await jobs.input(id)
          if (typeof upload === 'string') found.add(upload)
        }
        const last = page[PAGE - 1]
        before = last === undefined ? null : last.seq
      } while (before !== null)
    }
    return found
  }

  async function sweep(): Promise<void> {
    const names = await readdir(folder).catch(() => [])
    if (names.length === 0) return
    const kept = await needed()
    for (const name of names.filter(one => !kept.has(one))) {
      const stats = await stat(join(folder, name)).catch(() => null)
      if (stats !== null && Date.now() - stats.mtimeMs > ARRIVAL_MS) await discard(name)
    }
  }

  return {
    async receive(source, { bytes, signal }) {
      if (bytes !== undefined && bytes > uploadLimitBytes) throw tooLarge(uploadLimitBytes)
      await sweep() // a job that was cancelled leaves its file
      await requireRoom()
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const upload = `upl_${randomBytes(16).toString('hex')}`
      try {
        const sha256 = await write(join(folder, upload), source, signal)
        if (shared !== undefined) {
          await shared.keep(upload, signal)
          await discard(upload) // its job may run anywhere
        }
        return { upload, sha256 }
      } catch (error) {
        await discard(upload)
        throw namingFullDisk(error)
      }
    },
    discard,
    sweep,
  }
}
