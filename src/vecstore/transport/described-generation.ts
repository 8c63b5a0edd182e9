import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { FaultlineError } from '../../core/errors.ts'
import type { FileChecksum } from '../format/durable-files.ts'
import { fileOf, untransportable, type GenerationDescription, type Piece } from './description.ts'
import { readWhole } from './read-whole.ts'
import type { Ingredients, Recipe } from './recipes/recipe.ts'
import { recipeNamed } from './recipes/recipes.ts'

/** A generation of this machine that is to be sent: its files stay readable when newer ones take their place. */
export interface DescribedGeneration extends AsyncDisposable {
  readonly description: GenerationDescription
  /**
   * The bytes of one of its pieces, of files and of recipes, checked.
   *
   * @throws {RangeError} It has no such piece. @throws {FaultlineError} INDEX_INCOMPATIBLE: its file changed on the
   * disk, and the error names it.
   */
  readPiece(sha256: string): Promise<Buffer>
}

/** A file of a generation, open. */
export interface OpenFile {
  path: string
  handle: FileHandle
  /** As the manifest says it. */
  checksum: FileChecksum
}

/** Files of a generation, which stay open. */
interface OpenGeneration {
  open: AsyncDisposableStack
  files: readonly OpenFile[]
  others: Ingredients
}

/** The error for a file that is not what its manifest says. */
export const damaged = (projectDir: string, generation: number, path: string): FaultlineError =>
  untransportable(projectDir, `${fileOf(projectDir, generation, path)} does not match its checksum.`)

/** The parts of a file by a recipe. @throws {RangeError} The recipe is none for it. */
export const partsOf = (
  recipe: Recipe,
  { path, handle, checksum }: OpenFile,
  others: Ingredients,
): AsyncIterable<Uint8Array> => recipe.parts({ path, ...checksum }, handle, others)

/** Parts of so many files are in memory at a time, as they are asked for in turn. */
const MADE_FILES = 2

interface Places {
  file: OpenFile
  offset: number
  bytes: number
}

/** A generation whose files are open. */
export class OpenDescribedGeneration implements DescribedGeneration {
  readonly description: GenerationDescription
  readonly #projectDir: string
  readonly #open: AsyncDisposableStack
  readonly #others: Ingredients
  /** Pieces that are runs of bytes of a file. */
  readonly #places = new Map<string, Places>()
  /** Parts that are made again when they are asked for. */
  readonly #recipes = new Map<string, { file: OpenFile; recipe: Recipe }>()
  readonly #made = new Map<OpenFile, Promise<Map<string, Uint8Array>>>()

  constructor(projectDir: string, description: GenerationDescription, { open, files, others }: OpenGeneration) {
    this.#projectDir = projectDir
    this.description = description
    this.#open = open
    this.#others = others
    for (const [i, { path, pieces, recipe: madeOf }] of description.files.entries()) {
      const file = files[i]
      if (file === undefined) continue
      this.#place(file, pieces)
      const recipe = madeOf === null ? null : recipeNamed(path, madeOf.name)
      if (recipe === null || madeOf === null) continue
      if (recipe.isWhole) this.#place(file, madeOf.parts)
      else for (const { sha256 } of madeOf.parts) this.#recipes.set(sha256, { file, recipe })
    }
  }

  async readPiece(sha256: string): Promise<Buffer> {
    const place = this.#places.get(sha256)
    if (place !== undefined) return await this.#read(sha256, place)
    const made = this.#recipes.get(sha256)
    if (made === undefined) throw new RangeError(`There is no piece ${sha256}.`)
    const part = (await this.#partsOf(made)).get(sha256)
    if (part === undefined) throw damaged(this.#projectDir, this.description.generation, made.file.path)
    return Buffer.from(part.buffer, part.byteOffset, part.byteLength)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#made.values()) // they read what is about to be closed
    await this.#open.disposeAsync()
  }

  #place(file: OpenFile, pieces: readonly Piece[]): void {
    let offset = 0
    for (const { sha256, bytes } of pieces) {
      this.#places.set(sha256, { file, offset, bytes })
      offset += bytes
    }
  }

  async #read(sha256: string, { file, offset, bytes }: Places): Promise<Buffer> {
    const piece = Buffer.allocUnsafe(bytes)
    const isWhole = await readWhole(file.handle, piece, offset)
    if (isWhole && hash('sha256', piece) === sha256) return piece
    throw damaged(this.#projectDir, this.description.generation, file.path)
  }

  async #partsOf({ file, recipe }: { file: OpenFile; recipe: Recipe }): Promise<Map<string, Uint8Array>> {
    const parts = this.#made.get(file) ?? this.#make(file, recipe)
    this.#made.delete(file)
    this.#made.set(file, parts)
    const [oldest] = this.#made.keys()
    if (this.#made.size > MADE_FILES && oldest !== undefined) this.#made.delete(oldest)
    return await parts
  }

  async #make(file: OpenFile, recipe: Recipe): Promise<Map<string, Uint8Array>> {
    const parts = new Map<string, Uint8Array>()
    try {
      for await (const part of partsOf(recipe, file, this.#others)) parts.set(hash('sha256', part), part)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error // else the file, or one that it depends on, changed on the disk
    }
    return parts
  }
}
