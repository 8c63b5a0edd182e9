import { setImmediate } from 'node:timers/promises'
import type { CountedRows } from '../vecstore/catalogue/row-tokens.ts'
import type { MadeContent, SourceText } from './make-contents.ts'

/** Makes contents in another thread, each as `makeContent` does that counts tokens later. */
export interface ContentHelper extends AsyncDisposable {
  make(texts: SourceText[]): Promise<MadeContent[]>
  /** Counts what has its place in a catalogue that nobody writes. */
  countRows(cataloguePath: string): Promise<CountedRows[]>
}

/** Characters that go to the helper at once: a message for each file would take longer than many files do. */
const BATCH_CHARS = 131_072
/**
 * Batches that the helper has before it: what this thread writes in one go must not let it run dry. While it has as
 * many, the next ones are made here.
 */
const MAX_BATCHES = 8

interface QueueOptions<Item> {
  /** Where there is none, all is made here. */
  helper: ContentHelper | null
  /** Makes one content in this thread. */
  makeHere: (source: SourceText) => MadeContent
  /** Gets every item with its content, in the order in which they were added. */
  write: (item: Item, content: MadeContent) => Promise<void>
}

/** Items that go one way, and their contents as soon as they are made. */
interface Batch<Item> {
  items: Item[]
  made: MadeContent[] | null
  making: Promise<void>
}

/**
 * Makes contents in two threads, and hands them on in their order: the helper gets what it has room for, and the rest
 * is made here, so that neither waits for the other as long as there is anything to do. A helper that breaks down is
 * asked no more, and what it had is made here.
 */
export class ContentQueue<Item extends SourceText> {
  readonly #options: QueueOptions<Item>
  readonly #maxBatches: number
  readonly #batchChars: number
  #helper: ContentHelper | null
  /** In the order of their items. */
  readonly #batches: Array<Batch<Item>> = []
  #collected: Item[] = []
  #chars = 0
  #underWay = 0

  constructor(options: QueueOptions<Item>, { batchChars = BATCH_CHARS, maxBatches = MAX_BATCHES } = {}) {
    this.#options = options
    this.#helper = options.helper
    this.#batchChars = batchChars
    this.#maxBatches = maxBatches
  }

  async add(item: Item): Promise<void> {
    if (this.#helper === null && this.#batches.length === 0) {
      await this.#options.write(item, this.#options.makeHere(item))
      return
    }
    this.#collected.push(item)
    this.#chars += item.text.length
    if (this.#chars < this.#batchChars) return
    this.#send()
    await setImmediate() // the helper's answers come in between
    while (this.#batches[0]?.made !== null && this.#batches.length > 0) await this.#writeFirst()
  }

  /** Resolves when all that was added is written. */
  async finish(): Promise<void> {
    if (this.#collected.length > 0) this.#send()
    while (this.#batches.length > 0) await this.#writeFirst()
  }

  #send(): void {
    const items = this.#collected
    this.#collected = []
    this.#chars = 0
    const helper = this.#underWay < this.#maxBatches ? this.#helper : null
    const batch: Batch<Item> = { items, made: null, making: Promise.resolve() }
    this.#batches.push(batch)
    if (helper === null) batch.made = items.map(item => this.#options.makeHere(item))
    else batch.making = this.#makeElsewhere(batch, helper)
  }

  async #makeElsewhere(batch: Batch<Item>, helper: ContentHelper): Promise<void> {
    this.#underWay++
    try {
      batch.made = await helper.make(batch.items.map(({ path, text, language }) => ({ path, text, language })))
    } catch {
      this.#helper = null // without it the index takes longer, and is the same
      batch.made = batch.items.map(item => this.#options.makeHere(item))
    } finally {
      this.#underWay--
    }
  }

  async #writeFirst(): Promise<void> {
    const [batch] = this.#batches
    if (batch === undefined) return
    await batch.making
    this.#batches.shift()
    for (const [i, item] of batch.items.entries()) {
      const content = batch.made?.[i]
      if (content === undefined) throw new Error('A text was not made into a content.')
      await this.#options.write(item, content)
    }
  }
}
