import { eachIdentifier, subTokens } from '../core/tokenize.ts'
import type { Embedder } from './embedder.ts'

const DIMENSIONS = 512
const FIT_ID = 'hash-512-v1' // change it with anything that changes a vector, the tokenizer included
const TRIGRAM_WEIGHT = 0.5
/** What lies beyond is not looked at: no indexed file is larger, and a query gains nothing from more. */
const MAX_TEXT_LENGTH = 1_048_576
/**
 * The memory of identifiers is dropped between texts when it holds more: bounds what a repository of ever new names
 * costs.
 */
const MAX_REMEMBERED = 200_000

/**
 * FNV-1a over UTF-16 code units, then mixed: without that its top bit hardly depends on the last characters of short
 * names.
 */
function fnv1a(text: string): number {
  let hash = 0x811c_9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** In place. A text without words gets one fixed direction: a zero vector has no cosine. */
function normalise(vector: Float32Array): Float32Array {
  let squares = 0
  for (const value of vector) squares += value * value
  if (squares === 0) {
    vector[0] = 1
    return vector
  }
  const scale = 1 / Math.sqrt(squares)
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) * scale
  return vector
}

function grown(counts: Uint32Array<ArrayBuffer>, index: number): Uint32Array<ArrayBuffer> {
  if (index < counts.length) return counts
  const larger = new Uint32Array(counts.length * 2)
  larger.set(counts)
  return larger
}

/** Remembers which features an identifier stands for; that is for speed only. */
class TextHasher {
  readonly #identifierIds = new Map<string, number>()
  readonly #identifierFeatures: Int32Array[] = []
  readonly #featureIds = new Map<string, number>()
  /** By feature: its dimension, and the signed weight of one occurrence. */
  readonly #dimensions: number[] = []
  readonly #weights: number[] = []
  /** Occurrences within the text at hand, by id; all zero between texts. */
  #identifierCounts = new Uint32Array(4096)
  #featureCounts = new Uint32Array(16_384)

  get remembered(): number {
    return this.#identifierIds.size
  }

  embed(text: string): Float32Array {
    const features = this.#countFeatures(this.#countIdentifiers(text))
    const vector = new Float32Array(DIMENSIONS)
    for (const feature of features) {
      const amount = (this.#weights[feature] ?? 0) * (1 + Math.log(this.#featureCounts[feature] ?? 1))
      const dimension = this.#dimensions[feature] ?? 0
      vector[dimension] = (vector[dimension] ?? 0) + amount
      this.#featureCounts[feature] = 0
    }
    return normalise(vector)
  }

  #countIdentifiers(text: string): number[] {
    const seen: number[] = []
    eachIdentifier(text, identifier => {
      const id = this.#identifierIds.get(identifier) ?? this.#learn(identifier)
      const count = this.#identifierCounts[id] ?? 0
      if (count === 0) seen.push(id)
      this.#identifierCounts[id] = count + 1
    })
    return seen
  }

  #countFeatures(identifiers: number[]): number[] {
    const seen: number[] = []
    for (const identifier of identifiers) {
      const times = this.#identifierCounts[identifier] ?? 0
      this.#identifierCounts[identifier] = 0
      for (const feature of this.#identifierFeatures[identifier] ?? []) {
        const count = this.#featureCounts[feature] ?? 0
        if (count === 0) seen.push(feature)
        this.#featureCounts[feature] = count + times
      }
    }
    return seen
  }

  #learn(identifier: string): number {
    const features: number[] = []
    const words = subTokens(identifier)
    for (const word of words) {
      features.push(this.#feature('w' + word, 1))
      const edged = `^${word}$`
      if (word.length > 2) {
        for (let i = 0; i + 3 <= edged.length; i++) {
          features.push(this.#feature('t' + edged.slice(i, i + 3), TRIGRAM_WEIGHT))
        }
      }
    }
    const whole = identifier.toLowerCase()
    if (whole.length > 1 && !(words.length === 1 && words[0] === whole)) features.push(this.#feature('i' + whole, 1))

    const id = this.#identifierFeatures.push(Int32Array.from(features)) - 1
    this.#identifierIds.set(identifier, id)
    this.#identifierCounts = grown(this.#identifierCounts, id)
    return id
  }

  #feature(name: string, weight: number): number {
    const known = this.#featureIds.get(name)
    if (known !== undefined) return known
    const hash = fnv1a(name)
    const id = this.#dimensions.push(hash % DIMENSIONS) - 1
    // the top bit: independent of the low ones that choose the dimension
    this.#weights.push(hash >= 0x8000_0000 ? -weight : weight)
    this.#featureIds.set(name, id)
    this.#featureCounts = grown(this.#featureCounts, id)
    return id
  }
}

/**
 * The built-in embedder: hashes words into 512 dimensions. No network, no weights, no state that changes a result: a
 * text has the same vector in every process. Features are sub-tokens, whole identifiers and, at half the weight,
 * character trigrams of the sub-tokens; each counts 1 + log(occurrences), without idf (rare words collide here, and
 * weighing them up made results worse). Synchronous inside and bound by the processor: more than a query belongs in a
 * worker thread.
 */
export function createLocalEmbedder(): Embedder {
  let hasher = new TextHasher()
  return {
    provider: 'local',
    model: 'hash-512',
    fitId: FIT_ID,
    async embed(texts, signal) {
      const vectors: Float32Array[] = []
      for (const text of texts) {
        signal?.throwIfAborted()
        if (hasher.remembered > MAX_REMEMBERED) hasher = new TextHasher()
        vectors.push(hasher.embed(text.slice(0, MAX_TEXT_LENGTH)))
      }
      return { vectors, fitId: FIT_ID }
    },
  }
}
