interface InOrderOptions<Item> {
  width: number
  signal?: AbortSignal
  weightOf?: (item: Item) => number
  maxWeight?: number
}

/**
 * Begins work on some items before its turn and gives the results in their order. When it ends early, or one fails, the
 * signal that the others have fires, and it waits for them.
 *
 * @param width - Pieces of work that are under way at once, at least 1.
 * @param weightOf - How much of `maxWeight` a result takes until it is given; one that is heavier goes alone.
 */
export async function* inOrder<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
  { width, signal, weightOf = () => 0, maxWeight = 0 }: InOrderOptions<Item>,
): AsyncGenerator<{ item: Item; result: Result }> {
  const ended = new AbortController()
  const both = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal])
  const waiting: Array<{ item: Item; result: Promise<Result> }> = []
  const iterator = items[Symbol.iterator]()
  let next = iterator.next()
  let weight = 0
  const hasRoom = (): boolean =>
    next.done !== true && waiting.length < width && (weight === 0 || weight + weightOf(next.value) <= maxWeight)
  const begin = (): void => {
    while (next.done !== true && hasRoom()) {
      const item = next.value
      const result = work(item, both)
      result.catch(() => {}) // it is awaited in its turn, or not wanted any more
      waiting.push({ item, result })
      weight += weightOf(item)
      next = iterator.next()
    }
  }
  try {
    begin()
    for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) {
      const result = await first.result
      signal?.throwIfAborted()
      weight -= weightOf(first.item)
      begin()
      yield { item: first.item, result }
    }
  } finally {
    ended.abort()
    await Promise.allSettled(waiting.map(({ result }) => result))
  }
}
