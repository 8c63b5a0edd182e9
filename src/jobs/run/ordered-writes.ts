/** Runs writes one after the other, in the order in which they were asked for. */
export class OrderedWrites {
  #last: Promise<unknown> = Promise.resolve()

  /** Settles as the write does; one that fails holds up none after it. */
  add<T>(write: () => Promise<T>): Promise<T> {
    const done = this.#last.then(write, write)
    this.#last = done
    return done
  }

  /** Resolves when all that was added by now is over. */
  async idle(): Promise<void> {
    await this.#last.catch(() => {}) // whoever added it has seen why
  }
}
