import { test } from 'tap'
import type { LsaFit } from '../../../src/embedding/lsa/learned-space.ts'
import { countTerms, createLsaEmbedder } from '../../../src/embedding/lsa/lsa-embedder.ts'

/** Two terms, each with a dimension of its own. */
const FIT: LsaFit = {
  id: 'fit',
  dimensions: 2,
  terms: new Map([
    ['cart', 0],
    ['user', 1],
  ]),
  idf: Float32Array.of(1, 1),
  matrix: Float32Array.of(1, 0, 0, 1),
  documentCount: 2,
  unknownShare: 0,
}

test('terms are counted as the tokenizer finds them', async t => {
  t.same(
    countTerms('userCart user'),
    new Map([
      ['user', 2],
      ['cart', 1],
      ['usercart', 1],
    ]),
  )
})

test('a query is folded into the space of the fit; one without a known term has no vector', async t => {
  const { embedQuery, fitId, provider, model } = createLsaEmbedder(FIT)
  t.same({ fitId, provider, model }, { fitId: 'fit', provider: 'local', model: 'lsa-128' })
  t.same([...(embedQuery('cart') ?? [])], [1, 0])
  const [cart = 0, user = 0] = embedQuery('cart user') ?? []
  t.ok(Math.abs(cart - user) < 1e-6 && cart > 0.7)
  t.equal(embedQuery('nothing that it knows'), null)
})

test('many texts are embedded at once, zeros for those without a known term, until they are aborted', async t => {
  const embedder = createLsaEmbedder(FIT)
  const { vectors, fitId } = await embedder.embed(['user', '?'])
  t.equal(fitId, 'fit')
  t.same(
    vectors.map(vector => [...vector]),
    [
      [0, 1],
      [0, 0],
    ],
  )
  await t.rejects(embedder.embed(['user'], AbortSignal.abort(new Error('enough'))), { message: 'enough' })
})
