import { hash, createHash } from 'node:crypto'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FileChecksum } from '../format/durable-files.ts'
import { generationPaths, isMissing, missing, readCurrent } from '../format/layout.ts'
import { readManifestFile } from '../format/manifest.ts'
import { FORMAT_VERSION, type StoredManifest } from '../format/stored-manifest.ts'
import { fileOf, pieceBytesOf, untransportable, type DescribedFile, type GenerationDescription } from './description.ts'
import { filesOf } from './files-of.ts'
import { readWhole } from './read-whole.ts'

/** A generation of this machine that is to be sent: its files stay readable when newer ones take their place. */
export interface DescribedGeneration extends AsyncDisposable {
  readonly description: GenerationDescription
  /**
   * The bytes of one of its pieces, checked.
   *
   * @throws {RangeError} It has no such piece. @throws {FaultlineError} INDEX_INCOMPATIBLE: its file changed on the
   * disk, and the error names it.
   */
  readPiece(sha256: string): Promise<Buffer>
}

interface DescribeOptions {
  /**
   * What was described before: its files are not read again. A generation shares most with the one before, and is
   * described in some milliseconds then, otherwise in about 2 ms a megabyte.
   */
  previous?: GenerationDescription | null
  signal?: AbortSignal
}

interface OpenFile {
  path: string
  handle: FileHandle
  /** As the manifest says it. */
  checksum: FileChecksum
}

const isSame = (a: FileChecksum, b: FileChecksum): boolean => a.sha256 === b.sha256 && a.bytes === b.bytes

/** Reads a file once, a piece at a time. Null where it is not what its checksum says. */
async function describeFile({ path, handle, checksum }: OpenFile, signal?: AbortSignal): Promise<DescribedFile | null> {
  const { size } = await handle.stat()
  if (size !== checksum.bytes) return null
  const pieceBytes = pieceBytesOf(path)
  const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, size))
  const whole = createHash('sha256')
  const pieces = []
  for (let offset = 0; offset < size; offset += pieceBytes) {
    signal?.throwIfAborted()
    const piece = buffer.subarray(0, Math.min(pieceBytes, size - offset))
    if (!(await readWhole(handle, piece, offset))) return null
    whole.update(piece)
    pieces.push({ sha256: hash('sha256', piece), bytes: piece.length })
  }
  return whole.digest('hex') === checksum.sha256 ? { path, ...checksum, pieces } : null
}

const damaged = (projectDir: string, generation: number, path: string) =>
  untransportable(projectDir, `${fileOf(projectDir, generation, path)} does not match its checksum.`)

class Described implements DescribedGeneration {
  readonly description: GenerationDescription
  readonly #projectDir: string
  readonly #open: AsyncDisposableStack
  readonly #places = new Map<string, { file: OpenFile; offset: number; bytes: number }>()

  constructor(projectDir: string, description: GenerationDescription, open: AsyncDisposableStack, files: OpenFile[]) {
    this.#projectDir = projectDir
    this.description = description
    this.#open = open
    for (const [i, { pieces }] of description.files.entries()) {
      const file = files[i]
      let offset = 0
      for (const { sha256, bytes } of pieces) {
        if (file !== undefined) this.#places.set(sha256, { file, offset, bytes })
        offset += bytes
      }
    }
  }

  async readPiece(sha256: string): Promise<Buffer> {
    const place = this.#places.get(sha256)
    if (place === undefined) throw new RangeError(`There is no piece ${sha256}.`)
    const piece = Buffer.allocUnsafe(place.bytes)
    const isWhole = await readWhole(place.file.handle, piece, place.offset)
    if (isWhole && hash('sha256', piece) === sha256) return piece
    throw damaged(this.#projectDir, this.description.generation, place.file.path)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open.disposeAsync()
  }
}

async function readManifest(projectDir: string, generation: number): Promise<StoredManifest> {
  const { manifest: path } = generationPaths(projectDir, generation)
  const manifest = await readManifestFile(path, basename(projectDir))
  if (manifest === null) throw missing(path)
  if (manifest.indexState === 'foreign') {
    throw untransportable(
      projectDir,
      `Generation ${generation} of the index of project ${basename(projectDir)} has format ` +
        `${manifest.formatVersion}; this release reads ${FORMAT_VERSION}.`,
    )
  }
  return manifest
}

/**
 * Says what a published generation is made of, and keeps its files open until the answer is disposed of: about two
 * dozen. Reads what was not described before, a piece at a time, and compares it with the checksums of the manifest.
 *
 * @param projectDir - The project's folder.
 * @throws {FaultlineError} INDEX_INCOMPATIBLE: a file is damaged, and the error names it, or the format is another
 * release's. @throws As for a missing file where there is no such generation, or no longer.
 */
export async function describeGeneration(
  projectDir: string,
  generation: number,
  { previous = null, signal }: DescribeOptions = {},
): Promise<DescribedGeneration> {
  const paths = generationPaths(projectDir, generation)
  await using opened = new AsyncDisposableStack()
  const known = new Map(previous?.files.map(file => [file.path, file]))
  const manifest = await readManifest(projectDir, generation)
  const text = await readFile(paths.manifest)
  const ownChecksum = { bytes: text.length, sha256: hash('sha256', text) }
  const files: OpenFile[] = []
  for (const { path, checksum } of [{ path: 'manifest.json', checksum: ownChecksum }, ...filesOf(manifest)]) {
    files.push({ path, checksum, handle: opened.use(await open(join(paths.folder, path), 'r')) })
  }
  const described: DescribedFile[] = []
  for (const file of files) {
    const before = known.get(file.path)
    const one = before !== undefined && isSame(before, file.checksum) ? before : await describeFile(file, signal)
    if (one === null) throw damaged(projectDir, generation, file.path)
    described.push(one)
  }
  return new Described(projectDir, { generation, files: described }, opened.move(), files)
}

/**
 * The same for what is published now, also where a newer one takes its place meanwhile.
 *
 * @returns null when nothing is published. @throws {FaultlineError} INDEX_INCOMPATIBLE
 */
export async function describePublished(
  projectDir: string,
  options?: DescribeOptions,
): Promise<DescribedGeneration | null> {
  for (let current = await readCurrent(projectDir); current !== null;) {
    try {
      return await describeGeneration(projectDir, current, options)
    } catch (error) {
      const now = await readCurrent(projectDir)
      if (!isMissing(error) || now === current) throw error
      current = now
    }
  }
  return null
}
