import { test } from 'tap'
import fc from 'fast-check'
import { countTerms, createLsaEmbedder } from '../../../src/embedding/lsa/lsa-embedder.ts'
import { fitLsa } from '../../../src/embedding/lsa/lsa-fit.ts'
import { foldDocuments, foldTerms } from '../../../src/embedding/lsa/lsa-fold.ts'
import { sparseDocuments } from '../../helpers/sparse-documents.ts'

const TEXTS = [
  'open the socket and read bytes',
  'close the socket when bytes end',
  'read bytes from the socket buffer',
  'parse the query into tokens',
  'tokens of a parsed query',
  'the parser reads tokens in order',
  'order of the query tree',
  'buffer of bytes in a tree',
  'close the parser',
  'open a query',
]
const documents = sparseDocuments(TEXTS.map(countTerms))
const fit = fitLsa([documents], { dimensions: 4 })
if (fit === null) throw new Error('The texts share words.')

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

test('a text without a known term has no vector', async t => {
  for (const text of ['', 'unheard', '--- !!!']) t.equal(foldTerms(fit, countTerms(text)), null, text)
  t.equal(
    foldTerms(
      fit,
      new Map([
        ['socket', 0],
        ['query', -1],
        ['tree', NaN],
      ]),
    ),
    null,
  )
  const { vectors, known, occurrences, unknownOccurrences } = foldDocuments(
    fit,
    sparseDocuments([countTerms('unheard zzz'), new Map(), countTerms('socket')]),
  )
  t.same([...known], [0, 0, 1])
  t.ok(vectors.subarray(0, 8).every(value => value === 0))
  t.same({ occurrences, unknownOccurrences }, { occurrences: 3, unknownOccurrences: 2 })
})

test('every vector has length one and finite numbers, whatever the weights', async t => {
  const weights = fc.dictionary(
    fc.constantFrom(...fit.terms.keys(), 'unheard'),
    fc.oneof(fc.nat(70_000), fc.double({ noNaN: true })),
  )
  fc.assert(
    fc.property(weights, entries => {
      const vector = foldTerms(fit, new Map(Object.entries(entries)))
      return vector === null || Math.abs(dot(vector, vector) - 1) < 1e-4
    }),
  )
  t.pass()
})

test('the embedder gives the vectors of the fit under its id', async t => {
  const embedder = createLsaEmbedder(fit)
  t.match(embedder, { provider: 'local', model: 'lsa-128', fitId: fit.id })
  const { vectors, fitId } = await embedder.embed(['Reading socketBytes', ''])
  t.equal(fitId, fit.id)
  t.same(vectors[0], foldTerms(fit, countTerms('Reading socketBytes')))
  t.equal(vectors.length, 2)
})

test('a query without a known term has no vector, and in a batch one that is like no document', async t => {
  const embedder = createLsaEmbedder(fit)
  for (const text of ['zzz', '', '?!']) t.equal(embedder.embedQuery(text), null)
  t.same(embedder.embedQuery('Reading socketBytes'), foldTerms(fit, countTerms('Reading socketBytes')))
  t.same((await embedder.embed(['zzz'])).vectors, [new Float32Array(fit.dimensions)])
})

test('an aborted signal stops a batch', async t => {
  await t.rejects(createLsaEmbedder(fit).embed(['a'], AbortSignal.abort()), { name: 'AbortError' })
})
