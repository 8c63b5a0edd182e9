import { MAX_COUNT } from './lexical-format.ts'
import { TermCounter } from './term-counter.ts'

/** How often each term of a file's path counts in each of its chunks. */
const PATH_WEIGHT = 3
/** Terms after which another vocabulary is begun: about 50 MB. */
const MAX_TERMS = 1 << 19
const INITIAL = 1 << 12

/** The terms of the chunks of one file. Those of chunk `i` end at `ends[i]` and begin where those before it end. */
interface ChunkTerms {
  ends: Uint32Array
  /** Places in a vocabulary; each once a chunk. */
  termIds: Uint32Array
  /** At most `MAX_COUNT`. */
  counts: Uint8Array
  /** Terms of each chunk, with repetitions. */
  lengths: Uint32Array
}

/** With the vocabulary, which grows while more files are counted and is the same object for all of them. */
export interface CountedTerms extends ChunkTerms {
  vocabulary: readonly string[]
}

/** Files whose terms were counted in another thread, and the terms that were met there for the first time. */
export interface CountedBatch {
  files: ChunkTerms[]
  /** The place of the first new term; 0 begins another vocabulary. */
  firstNew: number
  newTerms: string[]
}

/** A file's path, and the texts of its chunks. */
interface FileTexts {
  path: string
  texts: readonly string[]
}

/** Counts what a chunk is found by; the counter then has it. */
export function countChunk(counter: TermCounter, path: string, text: string): void {
  counter.count(path, PATH_WEIGHT)
  counter.count(text)
}

/** Counts the terms of files for a thread that has the vocabulary: terms travel as numbers, and by name only once. */
export class BatchCounter {
  readonly #maxTerms: number
  #counter = new TermCounter()
  #termIds = new Uint32Array(INITIAL)
  #counts = new Uint8Array(INITIAL)

  constructor({ maxTerms = MAX_TERMS } = {}) {
    this.#maxTerms = maxTerms
  }

  count(files: readonly FileTexts[]): CountedBatch {
    if (this.#counter.terms.length >= this.#maxTerms) this.#counter = new TermCounter()
    const firstNew = this.#counter.terms.length
    const counted = files.map(file => this.#countFile(file))
    return { files: counted, firstNew, newTerms: this.#counter.terms.slice(firstNew) }
  }

  #countFile({ path, texts }: FileTexts): ChunkTerms {
    const ends = new Uint32Array(texts.length)
    const lengths = new Uint32Array(texts.length)
    let size = 0
    for (const [i, text] of texts.entries()) {
      countChunk(this.#counter, path, text)
      let length = 0
      this.#counter.take((term, count) => {
        if (size === this.#termIds.length) this.#grow()
        this.#termIds[size] = term
        this.#counts[size++] = Math.min(count, MAX_COUNT)
        length += count
      })
      lengths[i] = length
      ends[i] = size
    }
    return { ends, termIds: this.#termIds.slice(0, size), counts: this.#counts.slice(0, size), lengths }
  }

  #grow(): void {
    const termIds = new Uint32Array(this.#termIds.length * 2)
    const counts = new Uint8Array(termIds.length)
    termIds.set(this.#termIds)
    counts.set(this.#counts)
    this.#termIds = termIds
    this.#counts = counts
  }
}

/** Puts together the vocabulary of a `BatchCounter` in another thread, from its batches in their order. */
export class VocabularyReader {
  #vocabulary: string[] = []

  /** @throws {RangeError} A batch before this one is missing. */
  take({ files, firstNew, newTerms }: CountedBatch): CountedTerms[] {
    if (firstNew === 0) this.#vocabulary = []
    const vocabulary = this.#vocabulary
    if (firstNew !== vocabulary.length) throw new RangeError('Terms that were counted before these are missing.')
    for (const term of newTerms) vocabulary.push(term)
    return files.map(file => ({ ...file, vocabulary }))
  }
}
