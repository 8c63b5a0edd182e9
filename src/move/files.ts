import type { FileBytes } from '../jobs/files/file-bytes.ts'
import type { Row } from '../postgres/database.ts'
import type { BlobStore } from '../object-store/blobs/blob-store.ts'
import { BlobDamagedError, BlobMissingError } from '../object-store/blobs/blob-store.ts'
import { sideBySide } from '../replication/blob-uses.ts'
import type { Direction } from './direction.ts'
import type { MovePart } from './part.ts'

/** Many are small, and each is a request to the object store. */
const AT_ONCE = 8

interface FilesDeps {
  /** Names of kept files, from the side that is read: those of `KEPT_FILES`. */
  list: () => Promise<Row[]>
  /** Their bytes on the single machine. */
  here: FileBytes
  /** Their bytes in the cluster. */
  there: FileBytes
  blobs: Pick<BlobStore, 'read'>
  direction: Direction
}

/** What jobs keep, each content once for each job. */
export const KEPT_FILES = `
  SELECT DISTINCT jobs.id AS id, job_files.sha256 AS sha256, job_files.bytes AS bytes
  FROM job_files JOIN jobs ON jobs.seq = job_files.job_seq WHERE job_files.sha256 IS NOT NULL ORDER BY 1, 2`

interface KeptContent {
  id: string
  sha256: string
  bytes: number
}

const toContent = (row: Row): KeptContent => ({
  id: String(row.id),
  sha256: String(row.sha256),
  bytes: Number(row.bytes),
})

const isLost = (error: unknown): boolean =>
  error instanceof BlobDamagedError ||
  error instanceof BlobMissingError ||
  (error instanceof Error && 'code' in error && error.code === 'ENOENT')

/** The bytes of the files that jobs keep. */
export function createFilesPart({ list, here, there, blobs, direction }: FilesDeps): MovePart {
  const contents = async (): Promise<KeptContent[]> => (await list()).map(toContent)

  const unlessLost = (read: Promise<Buffer | null>): Promise<Buffer | null> =>
    read.catch((error: unknown) => {
      if (isLost(error)) return null
      throw error
    })
  const readHere = ({ id, ...ref }: KeptContent) => unlessLost(here.read(id, { path: '', ...ref }))
  const readThere = ({ sha256, bytes }: KeptContent, signal: AbortSignal) =>
    unlessLost(blobs.read({ sha256, bytes }, signal))

  const read = (of: KeptContent, signal: AbortSignal) =>
    direction === 'to_cluster' ? readHere(of) : readThere(of, signal)

  return {
    name: 'kept files',

    async look(signal) {
      let bytes = 0
      let lost = 0
      const all = await contents()
      for (const content of all) {
        signal.throwIfAborted()
        bytes += content.bytes
        if (direction === 'to_cluster' && (await readHere(content)) === null) lost++
      }
      const notes = lost === 0 ? [] : [`the bytes of ${lost} kept files are gone or damaged already`]
      return { items: all.length, bytes, obstacles: [], notes }
    },

    async move(onProgress, signal) {
      const all = await contents()
      let done = 0
      await sideBySide(all, AT_ONCE, async content => {
        signal.throwIfAborted()
        const { id, sha256 } = content
        const isHere = direction === 'from_cluster' && (await readHere(content)) !== null
        const bytes = isHere ? null : await read(content, signal)
        if (bytes !== null) await (direction === 'to_cluster' ? there : here).put(id, new Map([[sha256, bytes]]))
        onProgress(++done, all.length)
      })
    },

    async check(onProgress, signal) {
      const differences: string[] = []
      let same = 0
      const all = await contents()
      let done = 0
      await sideBySide(all, AT_ONCE, async content => {
        signal.throwIfAborted()
        const [own, shared] = [await readHere(content), await readThere(content, signal)]
        onProgress(++done, all.length)
        if (own !== null && shared !== null) same++
        else if (own !== null || shared !== null) {
          differences.push(`${content.sha256.slice(0, 12)} of job ${content.id}`)
        }
      })
      return { same, differences }
    },
  }
}
