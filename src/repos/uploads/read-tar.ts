import { FaultlineError } from '../../core/errors.ts'

const BLOCK = 512
/** Names and attributes are held in memory. */
const MAX_ATTRIBUTE_BYTES = 65_536
const MAX_NAME_CHARS = 4_096

/** What an entry of an archive is. */
export type TarType = 'file' | 'folder' | 'symlink'

/** One entry of an archive; its name is relative and stays below the root, whatever the archive says. */
export interface TarEntry {
  /** `/`-separated, without `.` and empty segments; empty for the root itself. */
  name: string
  type: TarType
  isExecutable: boolean
  size: number
  /** Where a symlink leads, as it is written; empty for others. */
  target: string
  /** The bytes; what is not read of them is passed over. */
  body(): AsyncGenerator<Buffer>
}

/** What an archive may hold at most. */
export interface TarLimits {
  maxEntries: number
  /** All files together, and the archive unpacked. */
  maxBytes: number
}

const corrupt = (what: string): FaultlineError =>
  new FaultlineError('REPOSITORY_CORRUPT', `The archive ${what}.`, 'Make it again with "tar -czf", and upload that.')

/** The error for an entry that no archive of a repository needs. */
export const refusedEntry = (name: string, why: string): FaultlineError =>
  new FaultlineError(
    'BAD_PATH',
    `The archive holds ${JSON.stringify(name.toWellFormed().slice(0, 200))}, which ${why}.`,
    'Make the archive anew from inside of the folder: tar -czf tree.tar.gz .',
  )

const tooLarge = (what: string): FaultlineError =>
  new FaultlineError('REPOSITORY_TOO_LARGE', `The archive holds ${what}.`, 'Leave out what is not source code.')

/** Bytes of a stream by number; no more of it is held than what is asked for. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  #taken = 0
  readonly #maxBytes: number

  constructor(source: AsyncIterable<Buffer>, maxBytes: number) {
    this.#source = source[Symbol.asyncIterator]()
    this.#maxBytes = maxBytes
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done === true) return false
    this.#taken += value.length
    if (this.#taken > this.#maxBytes) throw tooLarge(`more than ${Math.round(this.#maxBytes / 1_048_576)} MiB`)
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
    return true
  }

  /** So many bytes; null at the end of the stream. */
  async take(bytes: number): Promise<Buffer | null> {
    while (this.#rest.length < bytes) {
      if (await this.#more()) continue
      if (this.#rest.length === 0) return null
      throw corrupt('ends in the middle of an entry')
    }
    const taken = this.#rest.subarray(0, bytes)
    this.#rest = this.#rest.subarray(bytes)
    return taken
  }

  async *pieces(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0;) {
      if (this.#rest.length === 0 && !(await this.#more())) throw corrupt('ends in the middle of an entry')
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }
}

function textOf(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

/** A number in octal digits or, with its first bit set, in base 256. */
function numberOf(block: Buffer, start: number, length: number): number {
  const first = block[start] ?? 0
  if ((first & 0x80) !== 0) {
    const value = block.subarray(start + 1, start + length).reduce((sum, byte) => sum * 256 + byte, first & 0x7f)
    return Number.isSafeInteger(value) ? value : NaN
  }
  const digits = textOf(block, start, length).trim()
  if (digits === '') return 0
  return /^[0-7]{1,16}$/.test(digits) ? parseInt(digits, 8) : NaN
}

function requireChecksum(block: Buffer): void {
  const own = block.subarray(148, 156).reduce((sum, byte) => sum + byte, 0)
  const sum = block.reduce((total, byte) => total + byte, 8 * 32 - own) // the checksum itself counts as spaces
  if (numberOf(block, 148, 8) !== sum) throw corrupt('is no tar archive, or damaged')
}

/** The records `length key=value` of a pax header. */
function paxRecords(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length && bytes[at] !== 0;) {
    const space = bytes.indexOf(32, at)
    const length = /^[1-9][0-9]{0,6}$/.exec(bytes.toString('latin1', at, space))?.[0]
    const end = at + Number(length)
    const record = bytes.toString('utf8', space + 1, end - 1)
    const equals = record.indexOf('=')
    const isWhole = length !== undefined && end <= bytes.length && end > space && equals > 0
    if (!isWhole) throw corrupt('has damaged attributes')
    records.set(record.slice(0, equals), record.slice(equals + 1))
    at = end
  }
  return records
}

/** A name as one spelling below the root. @throws {FaultlineError} BAD_PATH */
function checkedName(name: string): string {
  if (name.startsWith('/')) throw refusedEntry(name, 'is an absolute path')
  if (name.length > MAX_NAME_CHARS || /\p{Cc}/u.test(name)) throw refusedEntry(name, 'is no name of a file')
  const segments = name.split('/').filter(segment => segment !== '' && segment !== '.')
  if (segments.includes('..')) throw refusedEntry(name, 'leads out of the archive')
  return segments.join('/')
}

const TYPES: ReadonlyMap<string, TarType> = new Map([
  ['0', 'file'],
  ['', 'file'],
  ['7', 'file'],
  ['2', 'symlink'],
  ['5', 'folder'],
])
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['1', 'is a hard link'],
  ['3', 'is a device'],
  ['4', 'is a device'],
  ['6', 'is a pipe'],
])

function typeOf(flag: string, name: string): TarType {
  const type = TYPES.get(flag)
  if (type === undefined) throw refusedEntry(name, REFUSED.get(flag) ?? 'is neither a file nor a folder')
  return type === 'file' && name.endsWith('/') ? 'folder' : type
}

/** What the headers before an entry say of it, in place of its own header. */
interface Attributes {
  name?: string
  target?: string
  size?: number
}

function withPax(attributes: Attributes, records: ReadonlyMap<string, string>): Attributes {
  const { name = records.get('path'), target = records.get('linkpath') } = attributes
  const size = records.get('size')
  if (size !== undefined && !/^[0-9]{1,15}$/.test(size)) throw corrupt('has damaged attributes')
  return { ...attributes, name, target, ...(size === undefined ? {} : { size: Number(size) }) }
}

const withoutEnd = (bytes: Buffer): string => textOf(bytes, 0, bytes.length)

/** Long names of GNU, and what pax says of the next entry or of all. Null for a header of an entry itself. */
async function attributesIn(flag: string, size: number, bytes: Bytes, given: Attributes): Promise<Attributes | null> {
  if (!['x', 'g', 'L', 'K'].includes(flag)) return null
  if (size > MAX_ATTRIBUTE_BYTES) throw tooLarge('a name of megabytes')
  const content = Buffer.from((await bytes.take(size)) ?? Buffer.alloc(0))
  await bytes.take((BLOCK - (size % BLOCK)) % BLOCK)
  if (flag === 'L') return { ...given, name: withoutEnd(content) }
  if (flag === 'K') return { ...given, target: withoutEnd(content) }
  const records = paxRecords(content)
  return flag === 'x' ? withPax(given, records) : given
}

function ownName(block: Buffer): string {
  const name = textOf(block, 0, 100)
  const isUstar = textOf(block, 257, 6).startsWith('ustar')
  const prefix = isUstar && block[262] === 0 ? textOf(block, 345, 155) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

function entryOf(block: Buffer, attributes: Attributes, ownSize: number): Omit<TarEntry, 'body'> {
  const { name = ownName(block), target = textOf(block, 157, 100), size = ownSize } = attributes
  const type = typeOf(textOf(block, 156, 1), name)
  return {
    name: checkedName(name),
    type,
    isExecutable: (numberOf(block, 100, 8) & 0o111) !== 0,
    size: type === 'file' ? size : 0,
    target: type === 'symlink' ? target : '',
  }
}

/**
 * Reads the entries of a tar archive one after the other, in bounded memory. The archive is hostile: what is no plain
 * file, folder or symlink, or has a name that is absolute or leads upwards, ends it.
 *
 * @throws {FaultlineError} BAD_PATH, REPOSITORY_TOO_LARGE, REPOSITORY_CORRUPT.
 */
export async function* readTar(
  source: AsyncIterable<Buffer>,
  { maxEntries, maxBytes }: TarLimits,
): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(source, maxBytes)
  let attributes: Attributes = {}
  let entries = 0
  for (;;) {
    const block = await bytes.take(BLOCK)
    if (block === null) {
      if (entries === 0) throw corrupt('is empty')
      return
    }
    if (block.every(byte => byte === 0)) {
      if (entries === 0) throw corrupt('is empty')
      return
    }
    requireChecksum(block)
    const size = numberOf(block, 124, 12)
    if (!Number.isSafeInteger(size) || size < 0) throw corrupt('has a damaged header')
    const more = await attributesIn(textOf(block, 156, 1), size, bytes, attributes)
    if (more !== null) {
      attributes = more
      continue
    }
    if (++entries > maxEntries) throw tooLarge(`more than ${maxEntries} entries`)
    const entry = entryOf(block, attributes, size)
    attributes = {}
    const pieces = bytes.pieces(entry.size)
    yield { ...entry, body: () => pieces }
    while ((await pieces.next()).done !== true); // what was not read of it
    await bytes.take((BLOCK - (entry.size % BLOCK)) % BLOCK)
  }
}
