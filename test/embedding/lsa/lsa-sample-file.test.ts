import { test } from 'tap'
import fc from 'fast-check'
import { fitLsa } from '../../../src/embedding/lsa/lsa-fit.ts'
import { serializeFit } from '../../../src/embedding/lsa/lsa-file.ts'
import { learnAgain, sampleOfFit } from '../../../src/embedding/lsa/lsa-sample-file.ts'
import type { SparseDocuments } from '../../../src/embedding/lsa/sparse-documents.ts'
import { randomFrom } from '../../helpers/random-from.ts'
import { runs } from '../../helpers/property-runs.ts'

type Counts = ReadonlyArray<readonly [term: string, count: number]>

/** Documents of one set, whose terms have numbers in this order. */
function setOf(documents: readonly Counts[], order: (a: string, b: string) => number): SparseDocuments {
  const terms = [...new Set(documents.flatMap(counts => counts.map(([term]) => term)))].sort(order)
  const rows = documents.map(counts =>
    counts.map(([term, count]) => [terms.indexOf(term), count] as const).sort(([a], [b]) => a - b),
  )
  const offsets = [0]
  for (const row of rows) offsets.push((offsets.at(-1) ?? 0) + row.length)
  return {
    documentCount: documents.length,
    termCount: terms.length,
    offsets: Uint32Array.from(offsets),
    termIds: Uint32Array.from(rows.flatMap(row => row.map(([id]) => id))),
    counts: Uint32Array.from(rows.flatMap(row => row.map(([, count]) => count))),
    termAt: id => terms[id] ?? '',
  }
}

const falling = (a: string, b: string): number => (a < b ? 1 : -1)
const rising = (a: string, b: string): number => -falling(a, b)

const counts = fc
  .uniqueArray(fc.tuple(fc.stringMatching(/^[a-fä]{1,2}$/), fc.integer({ min: 1, max: 255 })), {
    selector: ([term]) => term,
    maxLength: 12,
  })
  .map((entries): Counts => entries)
const sets = fc.array(fc.array(counts, { maxLength: 12 }), { minLength: 1, maxLength: 3 })

const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

test('what was learned is learned again from its sample, to the last bit', t => {
  let learned = 0
  fc.assert(
    fc.property(sets, fc.integer({ min: 1, max: 30 }), fc.nat(6), (contents, maxSample, gone) => {
      const documents = contents.map(set => setOf(set, falling))
      const isGone = ({ set, document }: { set: number; document: number }) => (set + document) % 7 === gone
      const fit = fitLsa(documents, { maxSample, isGone })
      if (fit === null) return
      const serializedFit = serializeFit(fit)
      const sample = sampleOfFit({ fit, serializedFit }, documents, { maxSample, isGone })
      if (sample === null || !isSame(learnAgain(sample), serializedFit)) throw new Error('it is another one')
      learned++
    }),
    { numRuns: runs(300) },
  )
  t.ok(learned > 0)
  t.end()
})

/** Such as a project of some size has: some terms in many documents, most in few. */
function project(documents: number): SparseDocuments {
  const random = randomFrom(3)
  const word = (): string => `word_${Math.floor(300 * random() ** 3)}`
  return setOf(
    Array.from({ length: documents }, () =>
      Array.from(new Set(Array.from({ length: 20 }, word)), term => [term, 1 + Math.floor(random() * 4)] as const),
    ),
    rising,
  )
}

function sampleOf(documents: readonly SparseDocuments[]): { sample: Uint8Array | null; serializedFit: Uint8Array } {
  const fit = fitLsa(documents)
  if (fit === null) throw new Error('nothing was learned')
  const serializedFit = serializeFit(fit)
  return { sample: sampleOfFit({ fit, serializedFit }, documents), serializedFit }
}

test('a sample is a small part of what was learned from it, and says of what it is', t => {
  const { sample, serializedFit } = sampleOf([project(200)])
  t.ok(sample !== null && sample.length * 10 < serializedFit.length)
  t.same(sample?.subarray(64, 96), serializedFit.subarray(-32))
  t.end()
})

test('any damaged byte, any cut and anything appended is refused', t => {
  const { sample } = sampleOf([project(40)])
  const bytes = sample ?? new Uint8Array()
  const damaged = [
    ...Array.from({ length: 60 }, (_, i) => {
      const at = Math.floor((i * bytes.length) / 60)
      return bytes.with(at, (bytes[at] ?? 0) ^ 1)
    }),
    ...[0, 8, 95, 96, 127, 128, bytes.length - 1].map(end => bytes.subarray(0, end)),
    Buffer.concat([bytes, new Uint8Array(1)]),
  ]
  for (const one of damaged) t.throws(() => learnAgain(one), RangeError)
  t.end()
})

test('sets without a common order of their terms, and counts of more than a byte, have no sample', t => {
  const two = [0, 1].map(i =>
    setOf(
      [
        [
          ['a', 1 + i],
          ['b', 1],
          ['c', 1],
        ],
        [
          ['a', 2],
          ['b', 2],
        ],
        [['d', 2]],
        [['d', 1]],
      ],
      i === 0 ? rising : falling,
    ),
  )
  t.equal(sampleOf(two).sample, null)
  const many = setOf(
    [
      [
        ['a', 256],
        ['b', 1],
      ],
      [
        ['a', 1],
        ['b', 3],
      ],
      [['c', 2]],
      [['c', 1]],
    ],
    rising,
  )
  t.equal(sampleOf([many]).sample, null)
  t.end()
})
