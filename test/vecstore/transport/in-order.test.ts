import { test } from 'tap'
import { inOrder } from '../../../src/vecstore/transport/in-order.ts'

/** Work that ends when it is told to. */
function heldWork() {
  const held = new Map<number, PromiseWithResolvers<string>>()
  const signals: AbortSignal[] = []
  return {
    held,
    signals,
    work: (item: number, signal: AbortSignal): Promise<string> => {
      const one = Promise.withResolvers<string>()
      held.set(item, one)
      signals.push(signal)
      signal.addEventListener('abort', () => one.reject(signal.reason))
      return one.promise
    },
  }
}

test('results come in the order of the items, so many at once', async t => {
  const { held, work } = heldWork()
  const results = inOrder([1, 2, 3, 4], work, { width: 2 })
  const first = results.next()
  t.same([...held.keys()], [1, 2])
  held.get(2)?.resolve('b')
  held.get(1)?.resolve('a')
  t.same(await first, { done: false, value: { item: 1, result: 'a' } })
  t.same([...held.keys()], [1, 2, 3])
  held.get(3)?.resolve('c')
  t.match(await results.next(), { value: { item: 2, result: 'b' } })
  held.get(4)?.resolve('d')
  t.match(await results.next(), { value: { item: 3 } })
  t.match(await results.next(), { value: { item: 4 } })
  t.match(await results.next(), { done: true })
})

test('when one fails, the others are ended before it is told', async t => {
  const { held, signals, work } = heldWork()
  const first = inOrder([1, 2, 3], work, { width: 3 }).next()
  held.get(1)?.reject(new Error('away'))
  await t.rejects(first, /away/)
  t.same(
    signals.map(signal => signal.aborted),
    [true, true, true],
  )
  t.equal(held.size, 3)
})

test('who takes no more ends the others; no items are no work', async t => {
  const { held, signals, work } = heldWork()
  const results = inOrder([1, 2], work, { width: 5 })
  const first = results.next()
  held.get(1)?.resolve('a')
  await first
  await results.return(undefined)
  t.equal(signals[1]?.aborted, true)
  t.match(await inOrder([], work, { width: 5 }).next(), { done: true })
})

test('a signal from outside ends it', async t => {
  const { held, work } = heldWork()
  const ended = new AbortController()
  const results = inOrder([1, 2], work, { width: 2, signal: ended.signal })
  const first = results.next()
  t.equal(held.size, 2)
  ended.abort(new Error('enough'))
  await t.rejects(first, /enough/)
})

test('what is under way at once weighs no more than it may, and what is heavier goes alone', async t => {
  let weight = 0
  const seen: number[] = []
  const work = async (item: number) => {
    weight += item
    seen.push(weight)
    return item
  }
  const items = [3, 3, 3, 20, 3, 3]
  const given = []
  for await (const { item } of inOrder(items, work, { width: 5, weightOf: item => item, maxWeight: 7 })) {
    given.push(item)
    weight -= item
  }
  t.same(given, items)
  t.same(seen, [3, 6, 9, 23, 23, 26], 'beside the one that whoever asks has at the moment')
})
