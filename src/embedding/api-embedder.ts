import { FaultlineError } from '../core/errors.ts'
import type { Embedder } from './embedder.ts'
import { embeddingKey, type EmbeddingCache } from './embedding-cache.ts'

/** Which server is asked, and how much at once. */
export interface ApiEmbedderOptions {
  model: string
  /** Asks the server for the vectors of one batch, in order. */
  request: (texts: string[], signal?: AbortSignal) => Promise<number[][]>
  cache: EmbeddingCache
  /** Texts in one request. */
  batchSize?: number
  /** Characters in one request; a single longer text goes alone. */
  maxBatchChars?: number
  /** A longer text is embedded in pieces of this size. The default fits models that take 8,191 tokens. */
  maxTextChars?: number
  /** Requests under way at once. */
  concurrency?: number
}

/** What was kept is checked: a file can be damaged without its database noticing. */
const isUnit = (vector: Float32Array): boolean =>
  Math.abs(vector.reduce((sum, value) => sum + value * value, 0) - 1) < 1e-3

const lengthsOf = (vectors: Map<string, Float32Array>): Set<number> =>
  new Set(Array.from(vectors.values(), vector => vector.length))

function batchesOf(
  texts: Array<[string, string]>,
  batchSize: number,
  maxBatchChars: number,
): Array<Array<[string, string]>> {
  const batches: Array<Array<[string, string]>> = []
  let batch: Array<[string, string]> = []
  let chars = 0
  for (const entry of texts) {
    if (batch.length === batchSize || (batch.length > 0 && chars + entry[1].length > maxBatchChars)) {
      batches.push(batch)
      batch = []
      chars = 0
    }
    batch.push(entry)
    chars += entry[1].length
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

/**
 * Runs `work` over the items, `limit` at a time. The first failure aborts the others' signal and is thrown once all
 * have ended.
 */
async function forEachLimited<T>(
  items: T[],
  limit: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  outer?: AbortSignal,
): Promise<void> {
  const stop = new AbortController()
  const signal = outer === undefined ? stop.signal : AbortSignal.any([outer, stop.signal])
  const queue = items.values()
  const failures: unknown[] = []
  const worker = async () => {
    for (const item of queue) {
      if (signal.aborted) return
      try {
        await work(item, signal)
      } catch (error) {
        failures.push(error)
        stop.abort(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  outer?.throwIfAborted()
  if (failures.length > 0) throw failures[0]
}

/**
 * At least one; cut at a character, never inside a surrogate pair. An empty text becomes a space: servers refuse empty
 * input.
 */
function piecesOf(text: string, maxChars: number): string[] {
  if (text === '') return [' ']
  const pieces: string[] = []
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + maxChars
    if (end < text.length && maxChars > 1 && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1
    pieces.push(text.slice(start, end))
  }
  return pieces
}

/** The weighted mean of vectors of length 1, at length 1. */
function mean(parts: Array<{ vector: Float32Array; weight: number }>): Float32Array {
  const first = parts[0]?.vector ?? new Float32Array()
  if (parts.length === 1) return first
  const sum = new Float64Array(first.length)
  for (const { vector, weight } of parts) {
    for (const [i, value] of vector.entries()) sum[i] = (sum[i] ?? 0) + value * weight
  }
  const norm = Math.hypot(...sum)
  return norm === 0 ? first : Float32Array.from(sum, value => value / norm)
}

function unusable(model: string, what: string): FaultlineError {
  return new FaultlineError(
    'EMBEDDING_UNAVAILABLE',
    `The embedding model ${model} answered with ${what}.`,
    'Check EMBEDDING_MODEL, or unset it to use the built-in embedder.',
  )
}

/**
 * The vector at length 1, so that the inner product is the cosine similarity. A zero vector has no direction and is
 * refused.
 */
function normalised(vector: number[], model: string): Float32Array {
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  if (largest === 0 || !Number.isFinite(largest)) throw unusable(model, 'a vector without a direction')
  const norm = largest * Math.sqrt(vector.reduce((sum, value) => sum + (value / largest) ** 2, 0))
  return Float32Array.from(vector, value => value / norm)
}

/**
 * Embeds by a model server. A text that is too long for the model is embedded in pieces, and its vector is their mean.
 * Every distinct piece is paid for once: vectors are kept in the cache as each batch arrives, so an interrupted run
 * goes on where it stopped. The first failure ends the requests under way and comes out of `embed`.
 */
export function createApiEmbedder({
  model,
  request,
  cache,
  batchSize = 64,
  maxBatchChars = 256_000,
  maxTextChars = 16_000,
  concurrency = 4,
}: ApiEmbedderOptions): Embedder {
  /** Fills `vectors` with what the texts still miss. */
  async function fetchMissing(
    texts: Map<string, string>,
    vectors: Map<string, Float32Array>,
    signal?: AbortSignal,
  ): Promise<void> {
    const missing = Array.from(texts).filter(([key]) => !vectors.has(key))
    await forEachLimited(
      batchesOf(missing, batchSize, maxBatchChars),
      concurrency,
      async (batch, signal) => {
        const answers = await request(
          batch.map(([, text]) => text),
          signal,
        )
        if (answers.length !== batch.length) {
          throw unusable(model, `${answers.length} vectors for ${batch.length} texts`)
        }
        const entries = batch.map(([key], i): [string, Float32Array] => [key, normalised(answers[i] ?? [], model)])
        cache.put(entries)
        for (const [key, vector] of entries) vectors.set(key, vector)
      },
      signal,
    )
  }

  return {
    provider: 'api',
    model,
    async embed(texts, signal) {
      signal?.throwIfAborted()
      const pieced = texts.map(text =>
        piecesOf(text, maxTextChars).map(piece => ({ key: embeddingKey(model, piece), piece })),
      )
      const distinct = new Map(pieced.flat().map(({ key, piece }) => [key, piece]))
      const vectors = new Map(Array.from(cache.get([...distinct.keys()])).filter(([, vector]) => isUnit(vector)))
      const known = new Set(vectors.keys())
      await fetchMissing(distinct, vectors, signal)
      if (lengthsOf(vectors).size > 1) {
        // The server has another model behind the same name now: what was kept is not comparable and is asked for
        // again.
        for (const key of known) vectors.delete(key)
        await fetchMissing(distinct, vectors, signal)
      }
      const [dimensions = 0, another] = lengthsOf(vectors)
      if (another !== undefined) throw unusable(model, `vectors of ${dimensions} and of ${another} dimensions`)
      return {
        vectors: pieced.map(pieces =>
          mean(
            pieces.map(({ key, piece }) => ({
              vector: vectors.get(key) ?? new Float32Array(dimensions),
              weight: piece.length,
            })),
          ),
        ),
        fitId: `api:${model}:${dimensions}`,
      }
    },
  }
}
