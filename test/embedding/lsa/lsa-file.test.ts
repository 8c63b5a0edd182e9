import { test } from 'tap'
import fc from 'fast-check'
import { openFit, rememberingOpenFit, serializeFit, withId } from '../../../src/embedding/lsa/lsa-file.ts'
import type { LsaFit } from '../../../src/embedding/lsa/learned-space.ts'
import { runs } from '../../helpers/property-runs.ts'

const term = fc.oneof(
  fc.stringMatching(/^[a-z0-9_$]{1,12}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter(text => !text.includes('\n')),
)

const anyFit: fc.Arbitrary<LsaFit> = fc
  .record({
    terms: fc.uniqueArray(term, { minLength: 1, maxLength: 12 }),
    dimensions: fc.integer({ min: 1, max: 7 }),
    seed: fc.float({ noNaN: true, noDefaultInfinity: true }),
    documentCount: fc.nat(100_000),
    unknownShare: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ terms, dimensions, seed, documentCount, unknownShare }) =>
    withId({
      dimensions,
      terms: new Map(terms.map((name, number) => [name, number])),
      idf: Float32Array.from(terms, (_, i) => seed + i),
      matrix: Float32Array.from({ length: terms.length * dimensions }, (_, i) => seed - i),
      documentCount,
      unknownShare,
    }),
  )

const same = (a: LsaFit, b: LsaFit) =>
  JSON.stringify({ ...a, terms: [...a.terms], idf: [...a.idf], matrix: [...a.matrix] }) ===
  JSON.stringify({ ...b, terms: [...b.terms], idf: [...b.idf], matrix: [...b.matrix] })

test('any fit comes back as it was, under its id, from wherever its bytes lie', async t => {
  fc.assert(
    fc.property(anyFit, fc.nat(7), (fit, offset) => {
      const bytes = serializeFit(fit)
      const moved = Buffer.alloc(bytes.length + offset) // whose slice shares its bytes, unlike that of other arrays
      moved.set(bytes, offset)
      return [
        bytes,
        moved.subarray(offset),
        new Uint8Array(moved.buffer, moved.byteOffset + offset, bytes.length),
      ].every(place => same(openFit(place), fit))
    }),
  )
  t.pass()
})

function refuses(bytes: Uint8Array): boolean {
  try {
    openFit(bytes)
    return false
  } catch (error) {
    return error instanceof RangeError && error.message.includes('no fit of the embedder')
  }
}

test('any damaged byte, any cut and anything appended is refused', async t => {
  fc.assert(
    fc.property(anyFit, fc.nat(), fc.integer({ min: 1, max: 255 }), (fit, at, flip) => {
      const bytes = serializeFit(fit)
      const place = at % bytes.length
      const damaged = bytes.slice()
      damaged[place] = (damaged[place] ?? 0) ^ flip
      for (const wrong of [damaged, bytes.slice(0, place), Buffer.concat([bytes, Buffer.from([flip])])]) {
        if (!refuses(wrong)) return false
      }
      return true
    }),
  )
  t.ok(refuses(new Uint8Array(0)) && refuses(new Uint8Array(500)))
})

test('the id is that of the content', async t => {
  const content = {
    dimensions: 1,
    terms: new Map([
      ['a', 0],
      ['b', 1],
    ]),
    idf: Float32Array.of(1, 2),
    matrix: Float32Array.of(0.5, 0.25),
    documentCount: 10,
    unknownShare: 0.5,
  }
  t.match(withId(content).id, /^lsa-128-[0-9a-f]{24}$/)
  t.equal(withId({ ...content }).id, withId(content).id)
  for (const other of [
    {
      terms: new Map([
        ['a', 0],
        ['c', 1],
      ]),
    },
    { idf: Float32Array.of(1, 3) },
    { matrix: Float32Array.of(0.5, 0.26) },
    { documentCount: 11 },
    { unknownShare: 0.6 },
  ]) {
    t.not(withId({ ...content, ...other }).id, withId(content).id)
  }
})

test('a term that would end its own line is refused', async t => {
  t.throws(
    () =>
      withId({
        dimensions: 1,
        terms: new Map([['a\nb', 0]]),
        idf: Float32Array.of(1),
        matrix: Float32Array.of(1),
        documentCount: 1,
        unknownShare: 0,
      }),
    TypeError,
  )
})

test('a fit that was opened last is the same object when it is opened again', async t => {
  const open = rememberingOpenFit()
  const [one, other] = fc
    .sample(anyFit, { numRuns: runs(50), seed: 3 })
    .filter((fit, i, all) => all.findIndex(({ id }) => id === fit.id) === i)
  if (one === undefined || other === undefined) throw new Error('There are no two fits.')
  const first = open(serializeFit(one))
  t.equal(open(serializeFit(one)), first)
  t.ok(same(open(serializeFit(other)), other))
  t.throws(() => open(new Uint8Array(500)), RangeError)
})
