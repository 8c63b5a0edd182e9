import { createHash, hash } from 'node:crypto'
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { checksumOf, linkIfThere, linkOrCopy, sync, writeSynced } from '../format/durable-files.ts'
import { reportingFullDisk, requireFreeSpace } from '../format/full-disk.ts'
import {
  generationPaths,
  isMissing,
  listGenerations,
  readCurrent,
  removeGenerations,
  unfinishedPaths,
  writeCurrent,
  type GenerationPaths,
} from '../format/layout.ts'
import { readManifestFile, rebuildFix } from '../format/manifest.ts'
import {
  changesInPlace,
  fileOf,
  untransportable,
  type DescribedFile,
  type GenerationDescription,
  type MadeOf,
  type Piece,
} from './description.ts'
import { filesOf } from './files-of.ts'
import { inOrder } from './in-order.ts'
import { LocalPieces } from './local-pieces.ts'
import { PartReader, type FoldVectors, type Ingredients, type LearnAgain, type Recipe } from './recipes/recipe.ts'
import { isVectors, recipeNamed, stageOf } from './recipes/recipes.ts'

/**
 * Gets the bytes of a piece from wherever they are kept, as they were before they were compressed. What it throws ends
 * the whole; retries are its own business.
 */
export type FetchPiece = (piece: Piece, signal: AbortSignal) => Promise<Uint8Array>

interface AssembleOptions {
  signal?: AbortSignal
  /** Pieces that are fetched at once, each in memory, and what they may take there together. */
  width?: number
  maxBytes?: number
  /** Whether `fetchPiece` compares what it gives with the digest; the file is compared with its own in any case. */
  arePiecesChecked?: boolean
  /** What must stay free on the disk. */
  minFreeBytes?: number
  /** Null: vectors that could be made here are fetched, where they are to be had. */
  fold?: FoldVectors | null
  /** Null: what could be learned here is fetched, where it is to be had. */
  learn?: LearnAgain | null
}

/** What it took to put a generation together. */
export interface Assembly {
  piecesFetched: number
  bytesFetched: number
  /** Bytes that generations of this machine had already, linked and copied. */
  bytesReused: number
}

/**
 * A piece whose bytes are not those of its digest. The object of this digest is damaged where it is kept: as long as it
 * stays there a new upload of the same piece may be taken for done.
 */
export class DamagedPieceError extends FaultlineError {
  readonly sha256: string

  constructor(projectDir: string, generation: number, path: string, { sha256 }: Piece) {
    super(
      'INDEX_INCOMPATIBLE',
      `A piece of ${fileOf(projectDir, generation, path)} was received with other bytes than ` +
        `its checksum ${sha256} says.`,
      rebuildFix(basename(projectDir)),
    )
    this.sha256 = sha256
  }
}

/** Most pieces are small, and take as long as an object store takes to answer. */
const WIDTH = 32
const MAX_BYTES = 32 * 1_048_576
/** What is written at once: a call for each small piece would take as long as to fetch it. */
const WRITTEN_BYTES = 1_048_576

type Pieces = AsyncIterator<{ result: Uint8Array }>

/** The next pieces of a file, small ones together. */
async function* joined(
  pieces: Pieces,
  { count, path }: { count: number; path: string },
): AsyncGenerator<Uint8Array, void> {
  let small: Uint8Array[] = []
  let bytes = 0
  for (let i = 0; i < count; i++) {
    const next = await pieces.next()
    if (next.done === true) throw new Error(`The pieces of ${path} ended early.`)
    small.push(next.value.result)
    bytes += next.value.result.length
    if (bytes < WRITTEN_BYTES) continue
    yield Buffer.concat(small)
    small = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(small)
}

async function* bytesOf(pieces: AsyncIterable<{ result: Uint8Array }>): AsyncGenerator<Uint8Array> {
  for await (const { result } of pieces) yield result
}

/** A file that is to be made by a recipe. */
interface MadeFile extends MadeOf {
  file: DescribedFile
  recipe: Recipe
}

/** Null where the file is to be fetched. */
function madeFile(file: DescribedFile): MadeFile | null {
  const recipe = file.recipe === null ? null : recipeNamed(file.path, file.recipe.name)
  return recipe === null || file.recipe === null ? null : { file, recipe, ...file.recipe }
}

/** Puts the files of one generation into a folder of its own. */
class Assembling implements AsyncDisposable {
  readonly #projectDir: string
  readonly #description: GenerationDescription
  readonly #paths: GenerationPaths
  readonly #local: LocalPieces
  readonly #fetchPiece: FetchPiece
  readonly #options: Required<Omit<AssembleOptions, 'signal'>> & Pick<AssembleOptions, 'signal'>
  /** Files of this generation that recipes look into, by their paths. */
  readonly #opened = new Map<string, FileHandle>()
  readonly assembly: Assembly = { piecesFetched: 0, bytesFetched: 0, bytesReused: 0 }

  constructor(
    { projectDir, description, paths, local }: AssemblingParts,
    fetchPiece: FetchPiece,
    {
      signal,
      width = WIDTH,
      maxBytes = MAX_BYTES,
      arePiecesChecked = false,
      minFreeBytes = 0,
      fold = null,
      learn = null,
    }: AssembleOptions,
  ) {
    this.#projectDir = projectDir
    this.#description = description
    this.#paths = paths
    this.#local = local
    this.#fetchPiece = fetchPiece
    this.#options = { signal, width, maxBytes, arePiecesChecked, minFreeBytes, fold, learn }
  }

  /** The manifest comes first: what it does not say need not be fetched. */
  async run(): Promise<void> {
    const [manifest, ...others] = this.#description.files
    if (manifest === undefined) throw new RangeError('A generation has a manifest.')
    await this.#write([manifest])
    await this.#requireSameFiles()
    const missing: DescribedFile[] = []
    for (const file of others) if (!(await this.#link(file))) missing.push(file)
    const { minFreeBytes } = this.#options
    await requireFreeSpace(this.#projectDir, minFreeBytes + missing.reduce((sum, { bytes }) => sum + bytes, 0))
    for (const file of missing) if (changesInPlace(file.path)) await this.#local.look(file)
    const withRecipe = missing.flatMap(file => madeFile(file) ?? [])
    await this.#write(missing.filter(file => !withRecipe.some(made => made.file === file)))
    for (const made of withRecipe.toSorted((a, b) => stageOf(a.file.path) - stageOf(b.file.path))) {
      if (!(await this.#make(made))) await this.#write([made.file])
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const handle of this.#opened.values()) await handle.close()
  }

  async #requireSameFiles(): Promise<void> {
    const { generation, files } = this.#description
    const manifest = await readManifestFile(this.#paths.manifest, basename(this.#projectDir))
    if (manifest === null || manifest.indexState === 'foreign' || manifest.generation !== generation) {
      throw this.#refused('manifest.json', 'is not one that this release can read')
    }
    const said = new Map(filesOf(manifest).map(({ path, checksum }) => [path, checksum]))
    for (const { path, bytes, sha256 } of files.slice(1)) {
      const checksum = said.get(path)
      if (checksum?.sha256 !== sha256 || checksum.bytes !== bytes) {
        throw this.#refused(path, 'is described otherwise than its manifest says')
      }
      said.delete(path)
    }
    const [left] = said.keys()
    if (left !== undefined) throw this.#refused(left, 'is missing in the description')
  }

  /** @returns Whether a generation of this machine has the file. */
  async #link(file: DescribedFile): Promise<boolean> {
    const there = await this.#local.findFile(file)
    if (there === null) return false
    try {
      await linkOrCopy(there, join(this.#paths.folder, file.path))
    } catch (error) {
      if (isMissing(error)) return false // its generation went meanwhile
      throw error
    }
    this.assembly.bytesReused += file.bytes
    await this.#linkParts(file, dirname(there))
    return true
  }

  /** What is kept beside a file that was linked; an older release did not keep it, and it is fetched. */
  async #linkParts(file: DescribedFile, folder: string): Promise<void> {
    const made = madeFile(file)
    const name = made?.recipe.keptAs ?? null
    if (made === null || name === null) return
    if (await linkIfThere(join(folder, name), join(this.#paths.folder, name))) return
    await using pieces = this.#pieces(made.parts.map(piece => ({ file, piece })))
    await Array.fromAsync(this.#keeping(name, bytesOf(pieces)))
  }

  async #write(files: readonly DescribedFile[]): Promise<void> {
    await using pieces = this.#pieces(files.flatMap(file => file.pieces.map(piece => ({ file, piece }))))
    for (const file of files) await this.#writeFile(file, pieces)
  }

  async #writeFile({ path, sha256, pieces: { length: count } }: DescribedFile, pieces: Pieces): Promise<void> {
    const whole = createHash('sha256')
    await using handle = await open(join(this.#paths.folder, path), 'wx', 0o600)
    for await (const content of joined(pieces, { count, path })) {
      whole.update(content)
      await handle.writeFile(content) // goes on where the last one ended
    }
    await handle.sync()
    if (whole.digest('hex') !== sha256) throw this.#refused(path, 'does not match its checksum')
  }

  /** @returns Whether the file was made; what was begun is gone otherwise. */
  async #make({ file, recipe, parts }: MadeFile): Promise<boolean> {
    const path = join(this.#paths.folder, file.path)
    if (recipe.isWhole) await this.#local.lookByRecipe(file, recipe, parts)
    try {
      await using pieces = this.#pieces(parts.map(piece => ({ file, piece })))
      const from = recipe.keptAs === null ? bytesOf(pieces) : this.#keeping(recipe.keptAs, bytesOf(pieces))
      const made = recipe.make(file, new PartReader(from), this.#others())
      if (await this.#writeMade(file, made)) return true
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
    await rm(path, { force: true })
    return false
  }

  /** Keeps parts under a name as they pass, whatever is made of them: other nodes may ask this one for them. */
  async *#keeping(name: string, parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const kept: Uint8Array[] = []
    for await (const part of parts) {
      kept.push(part)
      yield part
    }
    await writeSynced(join(this.#paths.folder, name), Buffer.concat(kept))
  }

  /** @returns Whether it is the file. */
  async #writeMade({ path, bytes, sha256 }: DescribedFile, made: AsyncIterable<Uint8Array>): Promise<boolean> {
    const whole = createHash('sha256')
    let length = 0
    await using handle = await open(join(this.#paths.folder, path), 'wx', 0o600)
    for await (const run of made) {
      length += run.length
      if (length > bytes) return false
      whole.update(run)
      await handle.writeFile(run)
    }
    if (whole.digest('hex') !== sha256) return false
    await handle.sync()
    return true
  }

  #others(): Ingredients {
    const paths = this.#description.files.map(({ path }) => path)
    return {
      vectorPaths: paths.filter(isVectors),
      fold: this.#options.fold,
      learn: this.#options.learn,
      open: async path => {
        if (!paths.includes(path)) return null
        const handle = this.#opened.get(path) ?? (await open(join(this.#paths.folder, path), 'r'))
        this.#opened.set(path, handle)
        return handle
      },
    }
  }

  /** Some are fetched before their turn. */
  #pieces(wanted: ReadonlyArray<{ file: DescribedFile; piece: Piece }>) {
    const { width, signal, maxBytes } = this.#options
    return inOrder(wanted, ({ file, piece }, ended) => this.#piece(file, piece, ended), {
      width,
      signal,
      weightOf: ({ piece }) => piece.bytes,
      maxWeight: maxBytes,
    })
  }

  async #piece({ path }: DescribedFile, piece: Piece, signal: AbortSignal): Promise<Uint8Array> {
    const own = await this.#local.read(piece.sha256)
    if (own !== null) {
      this.assembly.bytesReused += piece.bytes
      return own
    }
    signal.throwIfAborted() // what waits for a signal that has fired waits for ever
    const bytes = await this.#fetchPiece(piece, signal)
    const isChecked = this.#options.arePiecesChecked
    if (bytes.length !== piece.bytes || (!isChecked && hash('sha256', bytes) !== piece.sha256)) {
      throw new DamagedPieceError(this.#projectDir, this.#description.generation, path, piece)
    }
    this.assembly.piecesFetched++
    this.assembly.bytesFetched += piece.bytes
    return bytes
  }

  #refused(path: string, why: string): FaultlineError {
    return untransportable(this.#projectDir, `${fileOf(this.#projectDir, this.#description.generation, path)} ${why}.`)
  }
}

interface AssemblingParts {
  projectDir: string
  description: GenerationDescription
  paths: GenerationPaths
  local: LocalPieces
}

async function isWhole({ folder }: GenerationPaths, { files }: GenerationDescription): Promise<boolean> {
  try {
    for (const { path, bytes, sha256 } of files) {
      const found = await checksumOf(join(folder, path))
      if (found.sha256 !== sha256 || found.bytes !== bytes) return false
    }
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST')

/** Gives a folder its name; another of this name, which is damaged or was never published to others, goes. */
async function putInPlace(projectDir: string, from: string, generation: number): Promise<void> {
  const { folder } = generationPaths(projectDir, generation)
  try {
    await rename(from, folder)
  } catch (error) {
    if (!isTaken(error)) throw error
    const aside = unfinishedPaths(projectDir, generation).folder
    await rename(folder, aside) // a kill right here leaves no such generation; it is fetched again
    try {
      await rename(from, folder)
    } catch (failed) {
      await rename(aside, folder)
      throw failed
    }
    await rm(aside, { recursive: true, force: true })
  }
  await sync(projectDir)
}

/** Removes all generations but the published one: one of a higher number was never published to others. */
async function removeOthers(projectDir: string, generation: number): Promise<void> {
  const others = (await listGenerations(projectDir)).filter(other => other !== generation)
  await removeGenerations(projectDir, others)
}

/**
 * Makes a generation that was built on another machine the published one here. Files and pieces that generations of
 * this machine have are not fetched; files that have a recipe are made by it, and fetched only where that fails;
 * everything is checked; and what is there is published whole, as a build does it:
 * a folder by a rename, then `CURRENT` by a rename. After a kill at any instant, or an error, the old generation is
 * still published; `removeUnfinished` takes away what is left. Where this generation is there and whole already,
 * nothing is fetched (about 1 ms a megabyte).
 *
 * Holds some dozen files and up to `width` pieces in memory. Must not run beside a build of the same project on this
 * machine, nor beside itself: the one that ends later counts, and the other may fail.
 *
 * @param projectDir - The project's folder, which must be there.
 * @throws {FaultlineError} INDEX_INCOMPATIBLE, naming the file: other bytes than those described (`DamagedPieceError`
 * where a piece was received so), or a format of another release. DISK_FULL. @throws What `fetchPiece` throws, and the
 * signal's reason.
 */
export async function assembleGeneration(
  projectDir: string,
  description: GenerationDescription,
  fetchPiece: FetchPiece,
  options: AssembleOptions = {},
): Promise<Assembly> {
  const { generation } = description
  const published = generationPaths(projectDir, generation)
  if (await isWhole(published, description)) {
    await reportingFullDisk(async () => {
      if ((await readCurrent(projectDir)) !== generation) await writeCurrent(projectDir, generation)
      await removeOthers(projectDir, generation)
    })
    return {
      piecesFetched: 0,
      bytesFetched: 0,
      bytesReused: description.files.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  }
  const paths = unfinishedPaths(projectDir, generation)
  return await reportingFullDisk(async () => {
    await using left = new AsyncDisposableStack()
    left.defer(() => rm(paths.folder, { recursive: true, force: true }))
    await mkdir(paths.folder, { mode: 0o700 })
    await mkdir(paths.segments, { mode: 0o700 })
    const local = left.use(await LocalPieces.of(projectDir))
    const assembling = left.use(new Assembling({ projectDir, description, paths, local }, fetchPiece, options))
    await assembling.run()
    await sync(paths.segments)
    await sync(paths.folder)
    options.signal?.throwIfAborted()
    await putInPlace(projectDir, paths.folder, generation)
    await writeCurrent(projectDir, generation) // also where it says so already: what is open is not this one
    await removeOthers(projectDir, generation)
    return assembling.assembly
  })
}
