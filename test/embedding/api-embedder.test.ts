import { test, type Test } from 'tap'
import { createApiEmbedder, type ApiEmbedderOptions } from '../../src/embedding/api-embedder.ts'
import { embeddingKey } from '../../src/embedding/embedding-cache.ts'
import { createEmbeddingsRequest } from '../../src/llm/client/embeddings.ts'
import { startModelServer } from '../fakes/model-server.ts'

/**
 * An embedder whose requests are answered by `answer`, by default with vectors made of the text's length and first
 * letter.
 */
function setUp(options: Partial<ApiEmbedderOptions> = {}) {
  const cache = new Map<string, Float32Array>()
  const batches: string[][] = []
  const request =
    options.request ?? (async (texts: string[]) => texts.map(text => [text.length, text.charCodeAt(0), 1]))
  const embedder = createApiEmbedder({
    model: 'm',
    cache: {
      get: keys =>
        new Map(
          keys.flatMap(key => {
            const vector = cache.get(key)
            return vector === undefined ? [] : [[key, vector] as const]
          }),
        ),
      put: entries => {
        for (const [key, vector] of entries) cache.set(key, vector)
      },
    },
    ...options,
    request: (texts, signal) => {
      batches.push(texts)
      return request(texts, signal)
    },
  })
  return { embedder, batches, cache }
}

const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => `text ${i}`)
const lengthOf = (vector: Float32Array): number => Math.hypot(...vector)

test('vectors keep the order of the texts, have length 1, and name their space', async t => {
  const { embedder, batches } = setUp({ batchSize: 2 })
  const { vectors, fitId } = await embedder.embed(['aa', 'b', 'cccc', 'b', 'dd'])
  t.equal(fitId, 'api:m:3')
  t.equal(vectors.length, 5)
  for (const vector of vectors) t.ok(Math.abs(lengthOf(vector) - 1) < 1e-6)
  const expected = ['aa', 'b', 'cccc', 'b', 'dd'].map(text => text.length / text.charCodeAt(0))
  t.same(
    vectors.map(vector => ((vector[0] ?? 0) / (vector[1] ?? 1)).toFixed(4)),
    expected.map(ratio => ratio.toFixed(4)),
  )
  t.same(
    batches,
    [
      ['aa', 'b'],
      ['cccc', 'dd'],
    ],
    'the same text is asked for once',
  )
})

test('batches are bounded by texts and by characters; a single long text goes alone', async t => {
  const { embedder, batches } = setUp({ batchSize: 3, maxBatchChars: 10, concurrency: 1 })
  await embedder.embed(['aaaa', 'bbbb', 'cccc', 'd', 'e', 'f', 'g', 'h'.repeat(50), 'i'])
  t.same(batches, [['aaaa', 'bbbb'], ['cccc', 'd', 'e'], ['f', 'g'], ['h'.repeat(50)], ['i']])
})

test(
  "texts over the model's limit are asked for in pieces, never cut inside a character; each piece is asked " +
    'for once',
  async t => {
    const { embedder, batches } = setUp({ maxTextChars: 4 })
    await embedder.embed(['abcdef', 'abcdXX', 'abc😀', ''])
    t.same(batches, [['abcd', 'ef', 'XX', 'abc', '😀', ' ']])
  },
)

test('the vector of a long text is the mean of its pieces, weighted by their length, at length 1', async t => {
  const directions = new Map([
    ['aaaa', [2, 0]],
    ['bb', [0, 9]],
    ['-aaa', [-1, 0]],
  ])
  const { embedder } = setUp({
    maxTextChars: 4,
    request: async batch => batch.map(text => directions.get(text) ?? [0, 0]),
  })
  const {
    vectors: [mean, alone],
  } = await embedder.embed(['aaaabb', 'bb'])
  t.same(
    Array.from(mean ?? [], value => value.toFixed(4)),
    [4, 2].map(value => (value / Math.sqrt(20)).toFixed(4)),
  )
  t.same(Array.from(alone ?? []), [0, 1])
  const {
    vectors: [opposite],
  } = await embedder.embed(['aaaa-aaa'])
  t.same(Array.from(opposite ?? []), [1, 0], 'pieces that cancel each other out leave the first')
})

test('what is in the cache is not asked for again, and each batch is kept as it arrives', async t => {
  let failing = true
  const { embedder, batches, cache } = setUp({
    batchSize: 2,
    concurrency: 1,
    request: async batch => {
      if (failing && batch.includes('text 4')) throw new Error('down')
      return batch.map(text => [text.length, 1])
    },
  })
  await t.rejects(embedder.embed(texts(6)), { message: 'down' })
  t.same(
    [...cache.keys()],
    texts(4).map(text => embeddingKey('m', text)),
  )

  failing = false
  batches.length = 0
  t.equal((await embedder.embed(texts(6))).vectors.length, 6)
  t.same(batches, [['text 4', 'text 5']])
  batches.length = 0
  await embedder.embed(texts(6))
  t.same(batches, [])
})

test('no more requests than allowed run at once', async t => {
  let running = 0
  let most = 0
  const { embedder, batches } = setUp({
    batchSize: 1,
    concurrency: 3,
    request: async batch => {
      most = Math.max(most, ++running)
      await new Promise(resolve => setImmediate(resolve))
      running -= 1
      return batch.map(() => [1])
    },
  })
  await embedder.embed(texts(20))
  t.equal(batches.length, 20)
  t.equal(most, 3)
})

test('the first failure ends the requests under way, starts no more, and comes out', async t => {
  let ended = 0
  const { embedder, batches } = setUp({
    batchSize: 1,
    concurrency: 2,
    request: async ([text], signal) => {
      if (text === 'text 1') throw new Error('the first failure')
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => {
          ended += 1
          reject(signal.reason)
        }),
      )
    },
  })
  await t.rejects(embedder.embed(texts(10)), { message: 'the first failure' })
  t.equal(ended, 1)
  t.equal(batches.length, 2)
})

test('an abort of the caller comes out as such', async t => {
  const abort = new AbortController()
  const { embedder } = setUp({
    request: async (_texts, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('cut')))
        abort.abort()
      }),
  })
  await t.rejects(embedder.embed(texts(3), abort.signal), { name: 'AbortError' })
  await t.rejects(embedder.embed([], AbortSignal.abort()), { name: 'AbortError' })
})

test('what was kept and is no vector of length 1 any more is asked for again', async t => {
  const { embedder, batches, cache } = setUp()
  await embedder.embed(['a', 'b', 'c'])
  cache.set(embeddingKey('m', 'a'), Float32Array.of(NaN, 0, 0))
  cache.set(embeddingKey('m', 'b'), Float32Array.of(1e30, 0, 0))
  batches.length = 0
  const { vectors } = await embedder.embed(['a', 'b', 'c'])
  t.same(batches, [['a', 'b']])
  t.ok(vectors.every(vector => Math.abs(lengthOf(vector) - 1) < 1e-6))
})

test(
  'a server that answers with another length than what is kept has another model: the kept ones are asked ' +
    'for again',
  async t => {
    let dimensions = 2
    const { embedder, batches } = setUp({
      request: async batch => batch.map(() => new Array<number>(dimensions).fill(1)),
    })
    await embedder.embed(['a', 'b'])
    dimensions = 3
    batches.length = 0
    const { vectors, fitId } = await embedder.embed(['a', 'b', 'c'])
    t.equal(fitId, 'api:m:3')
    t.same(
      vectors.map(vector => vector.length),
      [3, 3, 3],
    )
    t.same(batches, [['c'], ['a', 'b']])
  },
)

test('vectors that cannot be compared are EMBEDDING_UNAVAILABLE', async t => {
  const bad: Array<(batch: string[]) => number[][]> = [
    () => [],
    batch => batch.map(() => [0, 0]),
    batch => batch.map(() => [NaN, 1]),
    batch => batch.map((_, i) => new Array<number>(i + 1).fill(1)),
  ]
  for (const answer of bad) {
    const { embedder } = setUp({ request: async batch => answer(batch) })
    await t.rejects(embedder.embed(['a', 'b']), { code: 'EMBEDDING_UNAVAILABLE' })
  }
})

async function realServer(t: Test) {
  const server = await startModelServer({ dimensions: 16 })
  t.teardown(() => server.close())
  return {
    server,
    request: createEmbeddingsRequest({ baseUrl: server.baseUrl, apiKey: null, model: 'm', sleep: async () => {} }),
  }
}

test('over the real protocol, texts that share words are nearer than others', async t => {
  const { server, request } = await realServer(t)
  const { embedder } = setUp({ request })
  const { vectors, fitId } = await embedder.embed([
    'parse the stack trace',
    'parse a stack of traces',
    'wholly other words',
  ])
  t.equal(fitId, 'api:m:16')
  const [a, b, c] = vectors.map(vector => Array.from(vector))
  const dot = (x: number[] = [], y: number[] = []) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0)
  t.ok(dot(a, b) > dot(a, c))
  t.equal(server.requests.length, 1)
})
