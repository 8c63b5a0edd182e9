import { test } from 'tap'
import fc from 'fast-check'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

async function embed(...texts: string[]): Promise<Float32Array[]> {
  return (await createLocalEmbedder().embed(texts)).vectors
}

test('a text has the same vector whatever was embedded before it', async t => {
  const embedder = createLocalEmbedder()
  await embedder.embed(['other words entirely', 'function parseConfig () {}'])
  const [again] = (await embedder.embed(['def read_user(id): return users[id]'])).vectors
  const [fresh] = await embed('def read_user(id): return users[id]')
  t.same(again, fresh)
})

test('a vector does not change between releases without a new fit id', async t => {
  const [vector] = await embed('parseStackTrace(lines)')
  const strongest = Array.from(vector ?? [], (value, dimension) => ({ dimension, value: Math.round(value * 1e4) }))
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || a.dimension - b.dimension)
    .slice(0, 4)
  t.same(
    { fitId: (await createLocalEmbedder().embed([])).fitId, strongest },
    {
      fitId: 'hash-512-v1',
      strongest: [
        { dimension: 54, value: -3203 },
        { dimension: 103, value: -3203 },
        { dimension: 227, value: -3203 },
        { dimension: 310, value: 3203 },
      ],
    },
  )
})

test('every vector has 512 finite numbers and length one, also that of a text without a word', async t => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async text => {
      const [vector] = await embed(text)
      return vector !== undefined && vector.length === 512 && Math.abs(dot(vector, vector) - 1) < 1e-5
    }),
  )
  const [empty, blank] = await embed('', ' \n;; ')
  t.same(empty, blank)
})

test('a text is nearer to what shares its words than to what does not, however the words are spelled together', async t => {
  const [query, snake, other] = await embed(
    'parseUserConfig',
    'def parse_user_configs(path): ...',
    'class SocketServer: accept connections',
  )
  t.ok(query && snake && other)
  if (query && snake && other) {
    t.ok(dot(query, snake) > dot(query, other) + 0.2, `${dot(query, snake)} against ${dot(query, other)}`)
  }
})

test('an aborted signal stops a batch', async t => {
  await t.rejects(createLocalEmbedder().embed(['a'], AbortSignal.abort()), { name: 'AbortError' })
})
