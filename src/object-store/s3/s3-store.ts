import type { Readable } from 'node:stream'
import {
  checkedKey,
  checkedPrefix,
  ObjectStoreError,
  ofLength,
  partsOf,
  type Content,
  type ObjectInfo,
  type ObjectStore,
} from '../object-store.ts'
import type { S3Address, S3Credentials } from '../../core/object-store-url.ts'
import { S3Client, type S3Answer, type S3Patience, type S3Text } from './s3-client.ts'
import { textOf } from './xml.ts'

/** How a store in S3 behaves; all have defaults. */
interface S3Options extends Partial<S3Patience> {
  /** The most that is sent in one request; a larger object goes in several. S3 wants at least 5 MiB. */
  partBytes?: number
}

const DELAYS_MS = [200, 800, 2_500, 6_000]
const SILENCE_MS = 30_000
const MIN_BYTES_PER_SECOND = 65_536
const PART_BYTES = 8 * 1024 * 1024
/** Parts grow, since there may be 10,000: so an object may have 440 GB. */
const PARTS_OF_A_SIZE = 1_000
const PAGE = '1000'
const ABORT_MS = 10_000

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** An object on its way, and what it is for in the words of errors. */
interface Download {
  bytes: number
  etag: string | null
  body: Readable
  to: string
  signal: AbortSignal
}

class CutOffError extends Error {
  constructor() {
    super('the answer was cut off')
  }
}

/** Whether an answer is the rest of the same object: not every store heeds `if-match`. */
const isRest = ({ status, header }: S3Answer, { at, etag }: { at: number; etag: string | null }): boolean =>
  status === 206 && header('content-range')?.startsWith(`bytes ${at}-`) === true && header('etag') === etag

const replaced = (key: string): ObjectStoreError =>
  new ObjectStoreError(`The object ${key} was replaced while it was read.`, { isTransient: true })

/** Size and time of an object, as the headers of an answer have them. */
function infoFrom(key: string, header: S3Text['header']): ObjectInfo {
  const length = header('content-length')
  if (length === null || !/^\d{1,15}$/.test(length)) {
    throw new ObjectStoreError(`The object store did not say how long ${key} is.`, { isTransient: true })
  }
  return { key, bytes: Number(length), changedAt: new Date(header('last-modified') ?? 0) }
}

/**
 * Objects below a prefix of a bucket. Requests carry checksums of what they send; failed ones are repeated, and a
 * download that was cut off goes on where it ended.
 */
export async function openS3Store(
  address: S3Address,
  credentials: S3Credentials,
  options: S3Options = {},
): Promise<ObjectStore> {
  const { partBytes = PART_BYTES, delaysMs = DELAYS_MS } = options
  const { silenceMs = SILENCE_MS, minBytesPerSecond = MIN_BYTES_PER_SECOND } = options
  const patience = { delaysMs, silenceMs, minBytesPerSecond }
  const undici = await import('undici') // a server without an object store never needs it for this
  const client = new S3Client(address, credentials, { patience, undici })

  async function head(key: string, signal: AbortSignal): Promise<ObjectInfo | null> {
    checkedKey(key)
    const answer = await client.call({ method: 'HEAD', key, to: `show the object ${key}`, mayMiss: true, signal })
    return answer.status === 404 ? null : infoFrom(key, answer.header)
  }

  async function putWhole(key: string, body: Uint8Array, signal: AbortSignal): Promise<void> {
    await client.call({ method: 'PUT', key, body, to: `take the object ${key}`, signal })
  }

  async function sendPart(
    upload: { key: string; uploadId: string },
    { number, body }: { number: number; body: Uint8Array },
    signal: AbortSignal,
  ): Promise<string> {
    const { key, uploadId } = upload
    const to = `take part ${number} of the object ${key}`
    const query = { partNumber: String(number), uploadId }
    const { header } = await client.call({ method: 'PUT', key, query, body, to, signal })
    return `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(header('etag') ?? '')}</ETag></Part>`
  }

  /** @param bytes - Of all parts. */
  async function complete(
    { key, uploadId }: { key: string; uploadId: string },
    { parts, bytes }: { parts: readonly string[]; bytes: number },
    signal: AbortSignal,
  ): Promise<void> {
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
    const to = `put the parts of the object ${key} together`
    try {
      await client.call({ method: 'POST', key, query: { uploadId }, body, to, signal })
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) throw error
      // its first answer may have been lost: then the upload is gone because the object is there
      const found = await head(key, signal)
      if (found?.bytes !== bytes) throw error
    }
  }

  async function abandon({ key, uploadId }: { key: string; uploadId: string }): Promise<void> {
    const signal = AbortSignal.timeout(ABORT_MS) // the caller's may have fired
    const to = `give up the parts of the object ${key}`
    await client.call({ method: 'DELETE', key, query: { uploadId }, to, mayMiss: true, signal }).catch(() => {})
  }

  async function putParts(
    key: string,
    { first, rest }: { first: Uint8Array[]; rest: AsyncIterator<Uint8Array> },
    signal: AbortSignal,
  ): Promise<void> {
    const to = `begin the object ${key}`
    const begun = await client.call({ method: 'POST', key, query: { uploads: '' }, to, signal })
    const uploadId = textOf(begun.xml, 'UploadId')
    if (uploadId === '') throw new ObjectStoreError(`The object store did not ${to}.`, { isTransient: true })
    const upload = { key, uploadId }
    try {
      const parts: string[] = []
      let bytes = 0
      const send = async (body: Uint8Array): Promise<void> => {
        bytes += body.length
        parts.push(await sendPart(upload, { number: parts.length + 1, body }, signal))
      }
      for (const body of first) await send(body)
      for (let next = await rest.next(); next.done !== true; next = await rest.next()) await send(next.value)
      await complete(upload, { parts, bytes }, signal)
    } catch (error) {
      await abandon(upload)
      throw error
    }
  }

  async function put(key: string, content: Content, signal: AbortSignal): Promise<void> {
    checkedKey(key)
    signal.throwIfAborted()
    const rest = partsOf(content, part => partBytes * Math.ceil(part / PARTS_OF_A_SIZE))[Symbol.asyncIterator]()
    try {
      const first = await rest.next()
      const second = await rest.next()
      if (first.done === true) return
      if (second.done === true) await putWhole(key, first.value, signal)
      else await putParts(key, { first: [first.value, second.value], rest }, signal)
    } finally {
      await rest.return?.()
    }
  }

  /** The rest of an object from a byte on. @throws {ObjectStoreError} Also when it is another object by now. */
  async function restOf(key: string, at: number, { etag, to, signal }: Download): Promise<Readable> {
    const headers = { range: `bytes=${at}-`, ...(etag === null ? {} : { 'if-match': etag }) }
    const answer = await client.open({ method: 'GET', key, headers, to, signal })
    if (answer !== null && isRest(answer, { at, etag })) return answer.body
    answer?.body.destroy()
    throw replaced(key)
  }

  /** Goes on where it was cut off, as long as the object is still the same. */
  async function* resuming(key: string, download: Download): AsyncIterable<Uint8Array> {
    let body = download.body
    let at = 0
    try {
      for (let failed = 0; ;) {
        try {
          for await (const piece of client.pieces(body)) {
            at += piece.length
            yield piece
          }
          if (at >= download.bytes) return
          throw new CutOffError()
        } catch (error) {
          await client.pause(++failed, error, download)
          body = await restOf(key, at, download)
        }
      }
    } finally {
      body.destroy() // of a reader that wants no more
    }
  }

  async function* list(prefix: string, signal: AbortSignal): AsyncIterable<ObjectInfo[]> {
    const below = address.prefix + checkedPrefix(prefix)
    for (let token = ''; ;) {
      const query = { 'list-type': '2', prefix: below, 'max-keys': PAGE, ...(token && { 'continuation-token': token }) }
      const { xml } = await client.call({ method: 'GET', key: null, query, to: 'list its objects', signal })
      const listed = xml?.children.filter(({ name }) => name === 'Contents') ?? []
      const page = listed.map(element => ({
        key: textOf(element, 'Key').slice(address.prefix.length),
        bytes: Number(textOf(element, 'Size')),
        changedAt: new Date(textOf(element, 'LastModified')),
      }))
      if (page.length > 0) yield page
      token = textOf(xml, 'NextContinuationToken')
      if (textOf(xml, 'IsTruncated') !== 'true') return
      if (token === '') throw new ObjectStoreError('The object store did not list all objects.', { isTransient: true })
    }
  }

  return {
    name: `s3://${address.bucket}/${address.prefix}`.replace(/\/$/, ''),
    put,
    async get(key, signal) {
      checkedKey(key)
      const to = `give the object ${key}`
      const answer = await client.open({ method: 'GET', key, to, mayMiss: true, signal })
      if (answer === null) return null
      const { bytes } = infoFrom(key, answer.header)
      const download = { bytes, etag: answer.header('etag'), body: answer.body, to, signal }
      return { bytes, content: ofLength(resuming(key, download), bytes, key) }
    },
    head,
    async delete(key, signal) {
      checkedKey(key)
      await client.call({ method: 'DELETE', key, to: `delete the object ${key}`, mayMiss: true, signal })
    },
    list,
    [Symbol.asyncDispose]: () => client.close(),
  }
}
