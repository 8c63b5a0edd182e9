import { basename } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { isObject } from '../../core/is-object.ts'
import type { FileChecksum } from '../format/durable-files.ts'
import { rebuildFix } from '../format/manifest.ts'

/** A run of bytes of a file, which is an object by its content wherever generations are kept. */
export interface Piece {
  /** 64 hexadecimal digits. */
  sha256: string
  /** 1 to `MAX_PIECE_BYTES`. */
  bytes: number
}

/** A file of a generation. Its pieces are of one size, the last may be smaller; an empty file has none. */
export interface DescribedFile extends FileChecksum {
  /** Below the folder of the generation, with slashes; one of the names that generations have. */
  path: string
  /** In the order of the file. */
  pieces: readonly Piece[]
  /** How the file is made of fewer bytes than its pieces have. */
  recipe: MadeOf | null
}

/** What a file is made of: the name of a recipe (`recipes/`), and the parts that it needs, in their order. */
export interface MadeOf {
  name: string
  parts: readonly Piece[]
}

/** What a generation is made of: enough to put it together on another machine, where all pieces can be had. */
export interface GenerationDescription {
  generation: number
  /** Its manifest first. */
  files: readonly DescribedFile[]
}

/** The content of the encoded form: digests of all pieces of a file stand in one text, in base64. */
interface DescriptionJson {
  format: number
  generation: number
  files: FileJson[]
}

interface FileJson extends FileChecksum {
  path: string
  piece_bytes: number
  /** Null where the one piece is the file itself, or there is none. */
  pieces: string | null
  /** Releases that know of no recipes do not look at it. */
  recipe?: RecipeJson
}

interface RecipeJson {
  name: string
  /** The size of each part. */
  bytes: number[]
  parts: string
}

/** No piece is larger, so that a reader of descriptions knows what it may have to hold in memory. */
export const MAX_PIECE_BYTES = 16 * 1_048_576
/**
 * A build changes pages all over the catalogue: with small pieces fewer bytes travel, with large ones fewer objects.
 * Decision 0046 has the figures.
 */
const CATALOGUE_PIECE_BYTES = 16_384
/** All other files are written once: pieces only bound what is in memory, and let several travel at a time. */
const PIECE_BYTES = 4 * 1_048_576
/** Grows when an older release could misread a description. */
const DESCRIPTION_FORMAT = 1
const DIGEST_BYTES = 32

const MANIFEST = 'manifest.json'
const CATALOGUE = 'catalogue.sqlite'
const FILE_NAME =
  /^(?:manifest\.json|catalogue\.sqlite|fit\.bin|vectors\.hnsw|segments\/\d{6,15}\.(?:lexical|vectors))$/
const DIGEST = /^[0-9a-f]{64}$/

/** Whether builds change parts of the file, each in its place; all others they write anew or leave as they are. */
export const changesInPlace = (path: string): boolean => path === CATALOGUE

/** The size of the pieces that a file is cut into. */
export const pieceBytesOf = (path: string): number => (changesInPlace(path) ? CATALOGUE_PIECE_BYTES : PIECE_BYTES)

const byDigest = (pieces: readonly Piece[]): Map<string, Piece> => new Map(pieces.map(piece => [piece.sha256, piece]))

/**
 * Every piece that a generation is put together of, once, by its digest, in the order in which they are first needed.
 */
export function piecesOf({ files }: GenerationDescription): Map<string, Piece> {
  return byDigest(files.flatMap(({ pieces, recipe }) => recipe?.parts ?? pieces))
}

/**
 * The other pieces, of files that have a recipe: for machines that do not know the recipe, or cannot follow it, and ask
 * for what is missing.
 */
export function sparePiecesOf(description: GenerationDescription): Map<string, Piece> {
  const needed = piecesOf(description)
  const all = byDigest(description.files.flatMap(({ pieces }) => pieces))
  return new Map([...all].filter(([sha256]) => !needed.has(sha256)))
}

/** The same as a release describes it that knows of no recipes. */
export const withoutRecipes = ({ generation, files }: GenerationDescription): GenerationDescription => ({
  generation,
  files: files.map(file => ({ ...file, recipe: null })),
})

/** Names a file of a generation in errors. */
export const fileOf = (projectDir: string, generation: number, path: string): string =>
  `${path} of generation ${generation} of the index of project ${basename(projectDir)}`

/** The error for a generation that cannot be taken from, or to, another machine. */
export function untransportable(projectDir: string, message: string, cause?: unknown): FaultlineError {
  return new FaultlineError('INDEX_INCOMPATIBLE', message, rebuildFix(basename(projectDir)), { cause })
}

const digestsOf = (pieces: readonly Piece[]): string =>
  Buffer.from(pieces.map(({ sha256 }) => sha256).join(''), 'hex').toString('base64')

function toJson({ path, bytes, sha256, pieces, recipe }: DescribedFile): FileJson {
  const digests = pieces.length > 1 ? digestsOf(pieces) : null
  const json = { path, bytes, sha256, piece_bytes: pieces[0]?.bytes ?? 0, pieces: digests }
  if (recipe === null) return json
  const { name, parts } = recipe
  return { ...json, recipe: { name, bytes: parts.map(part => part.bytes), parts: digestsOf(parts) } }
}

/** About 44 bytes a piece, of which none can be compressed. Equal descriptions give equal bytes. */
export function encodeDescription({ generation, files }: GenerationDescription): Uint8Array {
  const json: DescriptionJson = { format: DESCRIPTION_FORMAT, generation, files: files.map(toJson) }
  return Buffer.from(JSON.stringify(json))
}

const digestAt = (digests: Buffer, i: number): string =>
  digests.toString('hex', i * DIGEST_BYTES, (i + 1) * DIGEST_BYTES)

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

function isFileJson(value: unknown): value is FileJson {
  if (!isObject(value)) return false
  const { path, bytes, sha256, piece_bytes: pieceBytes, pieces } = value
  const isNamed = typeof path === 'string' && FILE_NAME.test(path)
  const isChecked = isCount(bytes) && typeof sha256 === 'string' && DIGEST.test(sha256)
  const isCut = isCount(pieceBytes) && pieceBytes <= MAX_PIECE_BYTES && (pieces === null || typeof pieces === 'string')
  return isNamed && isChecked && isCut
}

const isPieceBytes = (value: unknown): value is number => isCount(value) && value > 0 && value <= MAX_PIECE_BYTES

/**
 * Null for what another release calls a recipe: the file has its pieces as well. Whether this one knows the name is for
 * those to see who follow it.
 */
function recipeIn(value: unknown): MadeOf | null {
  if (!isObject(value)) return null
  const { name, bytes, parts } = value
  if (typeof name !== 'string' || typeof parts !== 'string' || !Array.isArray(bytes)) return null
  const digests = Buffer.from(parts, 'base64')
  if (!bytes.every(isPieceBytes) || digests.length !== bytes.length * DIGEST_BYTES) return null
  return { name, parts: bytes.map((size, i) => ({ sha256: digestAt(digests, i), bytes: size })) }
}

/** Null where the pieces do not make up the file. */
function cutOf({ bytes, sha256, piece_bytes: pieceBytes, pieces }: FileJson): Piece[] | null {
  if (pieces === null) {
    if (bytes !== pieceBytes) return null
    return bytes === 0 ? [] : [{ sha256, bytes }]
  }
  const digests = Buffer.from(pieces, 'base64')
  const count = digests.length / DIGEST_BYTES
  const last = bytes - (count - 1) * pieceBytes
  if (!Number.isInteger(count) || count < 2 || last < 1 || last > pieceBytes) return null
  return Array.from({ length: count }, (_, i) => ({
    sha256: digestAt(digests, i),
    bytes: i === count - 1 ? last : pieceBytes,
  }))
}

function fromJson(value: unknown): DescribedFile[] | null {
  if (!Array.isArray(value)) return null
  const files: DescribedFile[] = []
  for (const file of value as unknown[]) {
    const pieces = isFileJson(file) ? cutOf(file) : null
    if (!isFileJson(file) || pieces === null) return null
    const { path, bytes, sha256, recipe } = file
    files.push({ path, bytes, sha256, pieces, recipe: recipeIn(recipe) })
  }
  const isEachOnce = new Set(files.map(({ path }) => path)).size === files.length
  return files[0]?.path === MANIFEST && isEachOnce ? files : null
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return null // the caller says that it is damaged
  }
}

/**
 * Reads what `encodeDescription` wrote, checking all of it: no path leaves the folder of a generation, no piece is
 * larger than a reader can hold.
 *
 * @param projectDir - For the words of errors only.
 * @throws {FaultlineError} INDEX_INCOMPATIBLE
 */
export function decodeDescription(projectDir: string, bytes: Uint8Array): GenerationDescription {
  const json = parse(bytes)
  const what = `The description of an index of project ${basename(projectDir)}`
  if (isObject(json) && isCount(json.format) && json.format !== DESCRIPTION_FORMAT) {
    throw untransportable(projectDir, `${what} has format ${json.format}; this release reads ${DESCRIPTION_FORMAT}.`)
  }
  const files = isObject(json) ? fromJson(json.files) : null
  const generation = isObject(json) ? json.generation : null
  if (files === null || !isCount(generation)) throw untransportable(projectDir, `${what} is damaged.`)
  return { generation, files }
}

/** Whether two descriptions are of the same files, whatever recipes they have. */
export const isSameGeneration = (one: GenerationDescription, other: GenerationDescription): boolean =>
  one.generation === other.generation &&
  one.files.length === other.files.length &&
  one.files.every(({ path, bytes, sha256 }, i) => {
    const file = other.files[i]
    return file?.path === path && file.bytes === bytes && file.sha256 === sha256
  })
