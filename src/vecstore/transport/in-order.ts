/**
 * Begins work on some items before its turn and gives the results in their order. When it ends early, or one fails, the
 * signal that the others have fires, and it waits for them.
 *
 * @param width - Pieces of work that are under way at once, at least 1.
 */
export async function* inOrder<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
  { width, signal }: { width: number; signal?: AbortSignal },
): AsyncGenerator<{ item: Item; result: Result }> {
  const ended = new AbortController()
  const both = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal])
  const waiting: Array<{ item: Item; result: Promise<Result> }> = []
  const next = items[Symbol.iterator]()
  const begin = (): void => {
    const { done, value } = next.next()
    if (done === true) return
    const result = work(value, both)
    result.catch(() => {}) // it is awaited in its turn, or not wanted any more
    waiting.push({ item: value, result })
  }
  try {
    for (let i = 0; i < width; i++) begin()
    for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) {
      const result = await first.result
      signal?.throwIfAborted()
      begin()
      yield { item: first.item, result }
    }
  } finally {
    ended.abort()
    await Promise.allSettled(waiting.map(({ result }) => result))
  }
}
