import { hash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { checksumOf, type FileChecksum } from '../format/durable-files.ts'
import { generationPaths, isMissing, listGenerations, type GenerationPaths } from '../format/layout.ts'
import { readManifestFile } from '../format/manifest.ts'
import type { StoredManifest } from '../format/stored-manifest.ts'
import type { DescribedFile, Piece } from './description.ts'
import { filesOf } from './files-of.ts'
import { readWhole } from './read-whole.ts'
import type { Ingredients, Recipe } from './recipes/recipe.ts'

const NO_OTHERS: Ingredients = { vectorPaths: [], fold: null, learn: null, open: async () => null }

interface LocalGeneration {
  paths: GenerationPaths
  manifest: StoredManifest
}

/** Only those of this format that say what they hold; the others help nobody. */
async function readGenerations(projectDir: string): Promise<LocalGeneration[]> {
  const found: LocalGeneration[] = []
  for (const generation of await listGenerations(projectDir)) {
    const paths = generationPaths(projectDir, generation)
    try {
      const manifest = await readManifestFile(paths.manifest, basename(projectDir))
      if (manifest !== null && manifest.indexState !== 'foreign') found.push({ paths, manifest })
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
    }
  }
  return found
}

async function openThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/**
 * What the generations of a project on this machine have of one that is to be put together. Everything is checked when
 * it is looked for, so that damage and removal only mean that more is fetched.
 */
export class LocalPieces implements AsyncDisposable {
  readonly #generations: readonly LocalGeneration[]
  readonly #open = new AsyncDisposableStack()
  readonly #places = new Map<string, { handle: FileHandle; offset: number; bytes: number }>()

  private constructor(generations: readonly LocalGeneration[]) {
    this.#generations = generations
  }

  static async of(projectDir: string): Promise<LocalPieces> {
    return new LocalPieces(await readGenerations(projectDir))
  }

  /** A published file of this content; null where there is none that is whole. */
  async findFile({ bytes, sha256 }: FileChecksum): Promise<string | null> {
    for (const { paths, manifest } of this.#generations) {
      for (const { path, checksum } of filesOf(manifest)) {
        if (checksum.sha256 !== sha256 || checksum.bytes !== bytes) continue
        const found = await this.#checksumOf(join(paths.folder, path))
        if (found?.sha256 === sha256) return join(paths.folder, path)
      }
    }
    return null
  }

  /**
   * Looks through the files of the same name for pieces of this one, at the places of its own: what changes of a
   * catalogue changes in its place.
   */
  async look({ path, pieces }: DescribedFile): Promise<void> {
    const pieceBytes = pieces[0]?.bytes
    if (pieceBytes === undefined) return // an empty file has none
    const wanted = new Set(pieces.map(({ sha256 }) => sha256))
    for (const { paths } of this.#generations) {
      const handle = await openThere(join(paths.folder, path))
      if (handle === null) continue
      this.#open.use(handle)
      const { size } = await handle.stat()
      const buffer = Buffer.allocUnsafe(pieceBytes)
      for (let offset = 0; offset < size; offset += pieceBytes) {
        const piece = buffer.subarray(0, Math.min(pieceBytes, size - offset))
        if (!(await readWhole(handle, piece, offset))) break
        const digest = hash('sha256', piece)
        if (wanted.has(digest)) this.#places.set(digest, { handle, offset, bytes: piece.length })
      }
    }
  }

  /** Looks through files of the same kind for parts of this one, wherever they are in them. */
  async lookByRecipe({ path }: DescribedFile, recipe: Recipe, parts: readonly Piece[]): Promise<void> {
    const wanted = new Set(parts.map(({ sha256 }) => sha256))
    for (const { paths, manifest } of this.#generations) {
      const alike = filesOf(manifest).filter(other => extname(other.path) === extname(path))
      for (const { path: name, checksum } of alike) {
        const handle = await openThere(join(paths.folder, name))
        if (handle === null) continue
        this.#open.use(handle)
        let offset = 0
        try {
          for await (const part of recipe.parts({ path: name, ...checksum }, handle, NO_OTHERS)) {
            const digest = hash('sha256', part)
            if (wanted.has(digest)) this.#places.set(digest, { handle, offset, bytes: part.length })
            offset += part.length
          }
        } catch (error) {
          if (!(error instanceof RangeError)) throw error // damaged: what it had is fetched
        }
      }
    }
  }

  /** A piece that was found by a look; null where none was. */
  async read(sha256: string): Promise<Buffer | null> {
    const place = this.#places.get(sha256)
    if (place === undefined) return null
    const piece = Buffer.allocUnsafe(place.bytes)
    const isWhole = await readWhole(place.handle, piece, place.offset)
    return isWhole && hash('sha256', piece) === sha256 ? piece : null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open.disposeAsync()
  }

  async #checksumOf(path: string): Promise<FileChecksum | null> {
    try {
      return await checksumOf(path)
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }
}
