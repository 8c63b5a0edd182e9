import type { CountedRows } from '../vecstore/catalogue/row-tokens.ts'
import type { ContentHelper } from './content-queue.ts'

/** A thread that shares the work of one index: it starts when it is asked for, and ends with its holder. */
export class HelperThread implements AsyncDisposable {
  readonly #start: (() => ContentHelper) | undefined
  #started: ContentHelper | null = null

  /** @param start - Left out: there is none. */
  constructor(start: (() => ContentHelper) | undefined) {
    this.#start = start
  }

  /** Null until `start`, and where there is none. */
  get started(): ContentHelper | null {
    return this.#started
  }

  start(): ContentHelper | null {
    this.#started ??= this.#start?.() ?? null
    return this.#started
  }

  /** Its memory goes back before what follows takes more. */
  async end(): Promise<void> {
    const started = this.#started
    this.#started = null
    try {
      await started?.[Symbol.asyncDispose]()
    } catch {
      // one that breaks down at its end has done its work
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end()
  }
}

/**
 * Counts what a catalogue has only room for, beside this thread where there is another one.
 *
 * @param here - Does the same in this thread.
 */
export async function countRows(
  cataloguePath: string,
  { started }: HelperThread,
  here: (cataloguePath: string) => CountedRows[] = () => [],
): Promise<CountedRows[]> {
  try {
    if (started !== null) return await started.countRows(cataloguePath)
  } catch {
    // without it the index takes longer, and is the same
  }
  return here(cataloguePath)
}
