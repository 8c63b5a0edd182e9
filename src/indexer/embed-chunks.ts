import type { Embedder } from '../embedding/embedder.ts'
import type { LSA } from '../embedding/lsa/lsa.ts'
import type { LsaFit } from '../embedding/lsa/learned-space.ts'
import type { ChunkText, PendingSegment, VectorBuild } from '../vecstore/vectors/vector-build.ts'
import type { VectorWriter } from '../vecstore/vectors/vector-file.ts'

/** Texts that are handed to an embedder at once: it makes its own requests of them. */
const BATCH_TEXTS = 1_024
const BATCH_CHARS = 4 * 1_048_576

/** The embedder that learns from the project's own code. */
export type LearnedEmbedding = Pick<
  typeof LSA,
  'model' | 'fitLsa' | 'foldDocuments' | 'openFit' | 'serializeFit' | 'sampleOfFit' | 'isWorthFitting' | 'isOutgrown'
>

/** What chunks are embedded with. */
export interface Embedding {
  embedder: Embedder
  /** Takes the embedder's place where a project is large enough to learn from. */
  learned?: LearnedEmbedding
}

interface EmbedOptions {
  signal?: AbortSignal
  onProgress: (done: number, total: number) => void
}

function isSpaceOf({ provider, model, fitId }: Embedder, space: NonNullable<VectorBuild['space']>): boolean {
  return space.provider === provider && space.model === model && (fitId === undefined || fitId === space.fitId)
}

/** Opens the fit that is there; null for one that this release cannot read: it is learned anew. */
async function openKnown(vectors: VectorBuild, { openFit }: LearnedEmbedding): Promise<LsaFit | null> {
  const bytes = await vectors.readFit()
  if (bytes === null) return null
  try {
    return openFit(bytes)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** @returns false, with nothing written, when the index has outgrown the fit. */
async function foldInto(
  fit: LsaFit,
  vectors: VectorBuild,
  { foldDocuments, isOutgrown }: LearnedEmbedding,
  { onProgress }: EmbedOptions,
): Promise<boolean> {
  const pending = vectors.pending()
  const folded = pending.map(segment => foldDocuments(fit, segment.rows()))
  const shares = pending.map(
    ({ chunkIds }) => chunkIds.filter(id => vectors.isNew(id)).length / Math.max(1, chunkIds.length),
  ) // merged segments hold old chunks, too
  const sum = (key: 'occurrences' | 'unknownOccurrences') =>
    Math.round(folded.reduce((total, one, i) => total + one[key] * (shares[i] ?? 0), 0))
  const occurrences = sum('occurrences')
  const unknownOccurrences = sum('unknownOccurrences')
  const { growth } = vectors
  const grown = {
    chunks: vectors.chunksTotal,
    newChunks: vectors.newChunks(),
    occurrences: growth.occurrences + occurrences,
    unknownOccurrences: growth.unknownOccurrences + unknownOccurrences,
  }
  if (isOutgrown(fit, grown)) return false
  for (const [i, { number, chunkIds }] of pending.entries()) {
    await vectors.write(number, {
      dimensions: fit.dimensions,
      ids: chunkIds,
      values: folded[i]?.vectors ?? new Float32Array(),
    })
  }
  vectors.grow(occurrences, unknownOccurrences)
  const done = pending.reduce((total, { chunkIds }) => total + chunkIds.length, 0)
  onProgress(done, done)
  return true
}

/** @returns false when the chunks share too few terms to learn anything from. */
async function embedByTerms(vectors: VectorBuild, learned: LearnedEmbedding, options: EmbedOptions): Promise<boolean> {
  const known = vectors.space?.model === learned.model ? await openKnown(vectors, learned) : null
  if (known !== null && (await foldInto(known, vectors, learned, options))) return true
  const segments = vectors.segments()
  const documents = segments.map(segment => segment.rows())
  const isGone = ({ set, document }: { set: number; document: number }): boolean =>
    !vectors.isLive(segments[set]?.chunkIds[document] ?? 0)
  const fit = learned.fitLsa(documents, { isGone })
  if (fit === null) return false
  options.signal?.throwIfAborted()
  const serializedFit = learned.serializeFit(fit)
  await vectors.beginSpace(
    { provider: 'local', model: learned.model, dimensions: fit.dimensions, fitId: fit.id },
    { bytes: serializedFit, sample: learned.sampleOfFit({ fit, serializedFit }, documents, { isGone }) },
  )
  let done = 0
  for (const segment of segments) {
    const folded = learned.foldDocuments(fit, segment.rows())
    await vectors.write(segment.number, { dimensions: fit.dimensions, ids: segment.chunkIds, values: folded.vectors })
    vectors.grow(folded.occurrences, folded.unknownOccurrences)
    options.onProgress((done += segment.chunkIds.length), vectors.chunksTotal)
    options.signal?.throwIfAborted()
  }
  return true
}

function* batchesOf(chunks: Iterable<ChunkText>): Generator<ChunkText[]> {
  let batch: ChunkText[] = []
  let chars = 0
  for (const chunk of chunks) {
    batch.push(chunk)
    chars += chunk.text.length
    if (batch.length < BATCH_TEXTS && chars < BATCH_CHARS) continue
    yield batch
    batch = []
    chars = 0
  }
  if (batch.length > 0) yield batch
}

function missingVector(): never {
  throw new Error('A chunk has no vector.')
}

/** Vectors of chunks, of which those with the same content are asked for once. */
async function embedOnce(
  embedder: Embedder,
  chunks: readonly ChunkText[],
  signal?: AbortSignal,
): Promise<{ vectors: Float32Array[]; fitId: string; dimensions: number }> {
  const places = new Map<string, number>()
  const texts: string[] = []
  const placeOf = chunks.map(({ content, chunkIndex, text }) => {
    const key = `${content}:${chunkIndex}`
    const place = places.get(key) ?? texts.push(text) - 1
    places.set(key, place)
    return place
  })
  const { vectors, fitId } = await embedder.embed(texts, signal)
  const dimensions = vectors[0]?.length ?? 0
  if (
    vectors.length !== texts.length ||
    dimensions === 0 ||
    vectors.some(vector => vector.length !== dimensions || !vector.every(Number.isFinite))
  ) {
    throw new Error(
      `The embedder ${embedder.model} answered ${vectors.length} vectors of ${dimensions} dimensions ` +
        `for ${texts.length} texts, or some that are not finite.`,
    )
  }
  return { vectors: placeOf.map(place => vectors[place] ?? missingVector()), fitId, dimensions }
}

/** Rows one behind the other. */
export function joined(rows: readonly Float32Array[]): Float32Array {
  const values = new Float32Array(rows.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const row of rows) {
    values.set(row, at)
    at += row.length
  }
  return values
}

/**
 * @returns false, with nothing of it to be kept, when the embedder answered in another space than that which is there.
 */
async function embedTexts(
  vectors: VectorBuild,
  segments: PendingSegment[],
  { embedder, isKept, signal, onProgress }: TextOptions,
): Promise<boolean> {
  const previousOf = isKept ? vectors.previousVectors() : () => null
  const live = segments.map(({ chunkIds }) => chunkIds.filter(id => vectors.isLive(id)))
  const total = live.reduce((sum, { length }) => sum + length, 0)
  let isBegun = isKept
  let done = 0
  for (const [position, segment] of segments.entries()) {
    await using open = new AsyncDisposableStack()
    const begin = async () => open.use(await vectors.begin(segment.number, live[position] ?? new Uint32Array()))
    let writer: VectorWriter | null = null
    for (const batch of batchesOf(vectors.texts(segment))) {
      signal?.throwIfAborted()
      const previous = batch.map(({ content, chunkIndex }) => previousOf(content, chunkIndex))
      const asked = batch.filter((_, i) => previous[i] === null)
      const answer = asked.length === 0 ? null : await embedOnce(embedder, asked, signal)
      if (answer !== null) {
        const { provider, model } = embedder
        if (!isBegun) {
          await vectors.beginSpace({ provider, model, dimensions: answer.dimensions, fitId: answer.fitId }, null)
        }
        isBegun = true
        if (vectors.space?.fitId !== answer.fitId || vectors.space.dimensions !== answer.dimensions) {
          if (isKept) return false
          throw new Error(
            `The embedder ${model} changed its space from ${vectors.space?.fitId} to ${answer.fitId} ` +
              'while it was asked.',
          )
        }
      }
      let next = 0
      writer ??= await begin()
      await writer.append(joined(batch.map((_, i) => previous[i] ?? answer?.vectors[next++] ?? missingVector())))
      onProgress((done += batch.length), total)
    }
    await (writer ?? (await begin())).finish()
  }
  return true
}

/**
 * Gives every chunk of a generation its vector. Those that are there stay as long as they are comparable with what this
 * embedding makes.
 */
export async function embedChunks(
  vectors: VectorBuild,
  { embedder, learned }: Embedding,
  options: EmbedOptions,
): Promise<void> {
  if (
    learned !== undefined &&
    learned.isWorthFitting(vectors.chunksTotal) &&
    (await embedByTerms(vectors, learned, options))
  ) {
    return
  }
  const isKept = vectors.space !== null && isSpaceOf(embedder, vectors.space)
  if (isKept && (await embedTexts(vectors, vectors.pending(), { ...options, embedder, isKept }))) return
  await embedTexts(vectors, vectors.segments(), { ...options, embedder, isKept: false })
}

/** About how long `VectorBuild.finish` will take, on one quiet core. */
export const expectedGraphMs = (vectors: VectorBuild): number => (vectors.isGraphDue ? vectors.chunksTotal * 0.08 : 0)

/** About how long `embedChunks` and `VectorBuild.finish` will take, on one quiet core. */
export function expectedMs(vectors: VectorBuild, { embedder, learned }: Embedding): number {
  const waiting = vectors.pending().reduce((sum, { chunkIds }) => sum + chunkIds.length, 0)
  const graph = expectedGraphMs(vectors)
  if (embedder.provider === 'api') return waiting * 5 + graph
  const isFitted =
    learned !== undefined && vectors.space?.model === learned.model && vectors.newChunks() < vectors.chunksTotal / 4
  return waiting * 0.1 + graph + (isFitted ? 0 : Math.min(4_000, vectors.chunksTotal) * 0.25)
}

interface TextOptions extends EmbedOptions {
  embedder: Embedder
  /** Whether the space that is there goes on; else the first answer begins another. */
  isKept: boolean
}
