import { hash, createHash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FileChecksum } from '../format/durable-files.ts'
import { generationPaths, isMissing, missing, readCurrent, SAMPLE, type GenerationPaths } from '../format/layout.ts'
import { readManifestFile } from '../format/manifest.ts'
import { FORMAT_VERSION, type StoredManifest } from '../format/stored-manifest.ts'
import {
  damaged,
  OpenDescribedGeneration,
  partsOf,
  type DescribedGeneration,
  type OpenFile,
} from './described-generation.ts'
import {
  pieceBytesOf,
  untransportable,
  type DescribedFile,
  type GenerationDescription,
  type MadeOf,
  type Piece,
} from './description.ts'
import { filesOf } from './files-of.ts'
import { readWhole } from './read-whole.ts'
import type { FoldVectors, Ingredients } from './recipes/recipe.ts'
import { isVectors, othersOf, recipesFor } from './recipes/recipes.ts'

interface DescribeOptions {
  /**
   * What was described before: its files are not read again. A generation shares most with the one before, and is
   * described in some milliseconds then, otherwise in about 2 ms a megabyte.
   */
  previous?: GenerationDescription | null
  /** Null: vectors travel as they are. */
  fold?: FoldVectors | null
  signal?: AbortSignal
}

const isSame = (a: FileChecksum, b: FileChecksum): boolean => a.sha256 === b.sha256 && a.bytes === b.bytes

/** Reads a file once, a piece at a time. Null where it is not what its checksum says. */
async function cutFile({ path, handle, checksum }: OpenFile, signal?: AbortSignal): Promise<Piece[] | null> {
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
  return whole.digest('hex') === checksum.sha256 ? pieces : null
}

/** Null where a file travels as it is. */
async function recipeOf(file: OpenFile, others: Ingredients, signal?: AbortSignal): Promise<MadeOf | null> {
  for (const recipe of recipesFor(file.path)) {
    try {
      const parts = []
      for await (const part of partsOf(recipe, file, others)) {
        signal?.throwIfAborted()
        parts.push({ sha256: hash('sha256', part), bytes: part.length })
      }
      return { name: recipe.name, parts }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  return null
}

type NamedHandle = Pick<OpenFile, 'path' | 'handle'>

const ingredientsOf = (files: readonly NamedHandle[], fold: FoldVectors | null): Ingredients => ({
  vectorPaths: files.map(({ path }) => path).filter(isVectors),
  fold,
  learn: null,
  open: async name => files.find(({ path }) => path === name)?.handle ?? null,
})

/** What is no part of the generation, and may be there. */
async function openBeside(paths: GenerationPaths, opened: AsyncDisposableStack): Promise<NamedHandle[]> {
  try {
    return [{ path: SAMPLE, handle: opened.use(await open(paths.sample, 'r')) }]
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** What was described before, and what is to be described now, by path. */
interface Known {
  before: ReadonlyMap<string, DescribedFile>
  now: ReadonlyMap<string, OpenFile>
}

/**
 * Whether the recipe is the one from before: as long as what it depends on is the same. Other files may have come
 * since, but no chunk of those that were there is in them.
 */
function isRecipeKept(path: string, { before, now }: Known): boolean {
  return othersOf(path, before.keys()).every(other => {
    const [then, there] = [before.get(other), now.get(other)]
    return then === undefined || there === undefined ? then === there : isSame(then, there.checksum)
  })
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
  { previous = null, fold = null, signal }: DescribeOptions = {},
): Promise<DescribedGeneration> {
  const paths = generationPaths(projectDir, generation)
  await using opened = new AsyncDisposableStack()
  const before = new Map(previous?.files.map(file => [file.path, file]))
  const manifest = await readManifest(projectDir, generation)
  const text = await readFile(paths.manifest)
  const ownChecksum = { bytes: text.length, sha256: hash('sha256', text) }
  const files: OpenFile[] = []
  for (const { path, checksum } of [{ path: 'manifest.json', checksum: ownChecksum }, ...filesOf(manifest)]) {
    files.push({ path, checksum, handle: opened.use(await open(join(paths.folder, path), 'r')) })
  }
  const known = { before, now: new Map(files.map(file => [file.path, file])) }
  const others = ingredientsOf([...files, ...(await openBeside(paths, opened))], fold)
  const described: DescribedFile[] = []
  for (const file of files) {
    const { path, checksum } = file
    const then = before.get(path)
    const same = then !== undefined && isSame(then, checksum) ? then : null
    const pieces = same?.pieces ?? (await cutFile(file, signal))
    if (pieces === null) throw damaged(projectDir, generation, path)
    const isKept = same !== null && isRecipeKept(path, known)
    described.push(isKept ? same : { path, ...checksum, pieces, recipe: await recipeOf(file, others, signal) })
  }
  return new OpenDescribedGeneration(
    projectDir,
    { generation, files: described },
    { open: opened.move(), files, others },
  )
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
