import { test } from 'tap'
import { createScopeChunker } from '../../src/indexer/chunker.ts'
import { ContentQueue, type ContentHelper } from '../../src/indexer/content-queue.ts'
import { makeContent, type MadeContent, type SourceText } from '../../src/indexer/make-contents.ts'

interface Item extends SourceText {
  name: string
}

const tools = { chunker: createScopeChunker() }
const itemOf = (i: number): Item => ({
  name: `f${i}`,
  path: `f${i}.py`,
  language: 'python',
  text: `def f${i}():\n    return ${i}\n`,
})
const items = Array.from({ length: 40 }, (_, i) => itemOf(i))

interface Asked {
  texts: SourceText[]
  answer: () => void
  fail: () => void
}

/** A helper whose answers the test gives. */
function heldHelper(): { helper: ContentHelper; asked: Asked[] } {
  const asked: Asked[] = []
  return {
    asked,
    helper: {
      make(texts) {
        const { promise, resolve, reject } = Promise.withResolvers<MadeContent[]>()
        asked.push({
          texts,
          answer: () => resolve(texts.map(text => makeContent(text, tools))),
          fail: () => reject(new Error('the thread is gone')),
        })
        return promise
      },
      countRows: async () => [],
      async [Symbol.asyncDispose]() {},
    },
  }
}

function queueOf(helper: ContentHelper | null) {
  const written: string[] = []
  const here: string[] = []
  const queue = new ContentQueue<Item>(
    {
      helper,
      makeHere(source) {
        here.push(source.text)
        return makeContent(source, tools)
      },
      async write(item, content) {
        if (content.outline?.scopes[0]?.name !== item.name) throw new Error(`${item.name} got another one's content`)
        written.push(item.name)
      },
    },
    { batchChars: 100, maxBatches: 2 },
  )
  return { queue, written, here }
}

const namesOf = (some: readonly Item[]): string[] => some.map(({ name }) => name)

test('without a helper each content is made and written when it comes', async t => {
  const { queue, written, here } = queueOf(null)
  for (const item of items) await queue.add(item)
  t.same(written, namesOf(items))
  t.equal(here.length, items.length)
  await queue.finish()
  t.equal(written.length, items.length)
})

test('a helper gets no more than it has room for, the rest is made here, and all is written in order', async t => {
  const { helper, asked } = heldHelper()
  const { queue, written, here } = queueOf(helper)
  for (const item of items) await queue.add(item)
  t.equal(asked.length, 2)
  t.same(written, [], 'the first batch is not made yet')
  t.equal(here.length + asked.reduce((sum, { texts }) => sum + texts.length, 0) > items.length - 4, true)
  for (const { answer } of asked.toReversed()) answer()
  await queue.finish()
  t.same(written, namesOf(items))
})

test('what the helper has made is written while more is added', async t => {
  const { helper, asked } = heldHelper()
  const { queue, written } = queueOf(helper)
  for (const item of items.slice(0, 10)) {
    await queue.add(item)
    for (const { answer } of asked.splice(0)) answer()
  }
  t.ok(written.length > 0)
  await queue.finish()
  t.same(written, namesOf(items.slice(0, 10)))
})

test('what a helper had that broke down is made here, and it is asked no more', async t => {
  const { helper, asked } = heldHelper()
  const { queue, written, here } = queueOf(helper)
  for (const item of items.slice(0, 10)) await queue.add(item)
  const before = asked.length
  for (const { fail } of asked) fail()
  for (const item of items.slice(10)) await queue.add(item)
  await queue.finish()
  t.same(written, namesOf(items))
  t.equal(asked.length, before)
  t.equal(here.length, items.length)
})

test('a batch goes to the helper as soon as it has so many characters, each as the first', async t => {
  const { helper, asked } = heldHelper()
  const { queue, written } = queueOf(helper)
  const some = [100, 99, 30].map((length, at) => ({ ...itemOf(at), text: itemOf(at).text.padEnd(length, '#') }))
  const asks: number[] = []
  for (const item of some) {
    await queue.add(item)
    asks.push(asked.length)
  }
  t.same(asks, [1, 1, 2])
  for (const { answer } of asked) answer()
  await queue.finish()
  t.same(written, namesOf(some))
})
