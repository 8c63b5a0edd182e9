import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { symmetricProduct } from '../../../src/embedding/lsa/dense.ts'
import { countTerms } from '../../../src/embedding/lsa/lsa-embedder.ts'
import { fitLsa } from '../../../src/embedding/lsa/lsa-fit.ts'
import type { LsaFit } from '../../../src/embedding/lsa/learned-space.ts'
import { foldDocuments, foldTerms } from '../../../src/embedding/lsa/lsa-fold.ts'
import { seededBits } from '../../../src/embedding/lsa/seeded-random.ts'
import { RUNS_ALL } from '../../helpers/property-runs.ts'
import { sparseDocuments } from '../../helpers/sparse-documents.ts'

const SRC = fileURLToPath(new URL('../../../src', import.meta.url))
const LINES = 40

const FOLDERS = RUNS_ALL ? /^(?:repos|embedding|jobs|llm|http\/plugins)\/.*\.ts$/ : /^(?:repos|llm)\/.*\.ts$/

/** Some of this project's own sources, in pieces. */
const pieces = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(path => FOLDERS.test(path))
  .sort()
  .flatMap(path => {
    const lines = readFileSync(join(SRC, path), 'utf8').split('\n')
    return Array.from({ length: Math.ceil(lines.length / LINES) }, (_, i) => ({
      path,
      terms: countTerms(lines.slice(i * LINES, (i + 1) * LINES).join('\n')),
    }))
  })
const documents = sparseDocuments(pieces.map(({ terms }) => terms))

function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('There is nothing.')
  return value
}

const fit = must(fitLsa([documents]))
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

/** What `weigh` and the singular vectors say, computed in the plainest way. */
function plainVector({ terms, idf, matrix, dimensions }: LsaFit, counts: ReadonlyMap<string, number>): number[] {
  const sums = new Array<number>(dimensions).fill(0)
  for (const [term, count] of counts) {
    const number = terms.get(term)
    if (number === undefined) continue
    for (let k = 0; k < dimensions; k++) {
      sums[k] = (sums[k] ?? 0) + Math.log(1 + count) * (idf[number] ?? 0) * (matrix[number * dimensions + k] ?? 0)
    }
  }
  const length = Math.hypot(...sums)
  return sums.map(value => value / length)
}

test('a fit knows the terms that are in two documents at least and in half of them at most, commonest first', async t => {
  const small = must(
    fitLsa([
      sparseDocuments(['all solo beta gamma', 'all beta gamma', 'all gamma', 'all', 'all', 'all'].map(countTerms)),
    ]),
  )
  t.same(
    [...small.terms],
    [
      ['gamma', 0],
      ['beta', 1],
    ],
  )
  t.same(
    [...small.idf].map(value => Math.round(value * 1e4)),
    [Math.log(2), Math.log(3)].map(value => Math.round(value * 1e4)),
  )
  t.equal(small.documentCount, 6)
  t.ok(Math.abs(small.unknownShare - 7 / 12) < 1e-9, `${small.unknownShare}`)
})

test('the vocabulary has the commonest terms when there are too many', async t => {
  const some = must(fitLsa([documents], { maxTerms: 100 }))
  t.same([...some.terms.keys()], [...fit.terms.keys()].slice(0, 100))
})

test('documents that share too little give no fit', async t => {
  t.equal(fitLsa([]), null)
  t.equal(fitLsa([sparseDocuments([])]), null)
  t.equal(fitLsa([sparseDocuments(['one two', 'three four'].map(countTerms))]), null)
})

test('the same documents give the same fit bit for bit, in one set or in several', async t => {
  const half = Math.floor(pieces.length / 2)
  const [first, second] = [pieces.slice(0, half), pieces.slice(half)].map(part =>
    sparseDocuments(part.map(({ terms }) => terms)),
  )
  t.equal(must(fitLsa([documents])).id, fit.id)
  t.equal(must(fitLsa([must(first), must(second)])).id, fit.id)
  t.not(must(fitLsa([documents], { seed: 2 })).id, fit.id)
  t.not(must(fitLsa([must(first)])).id, fit.id)
})

test('a fit is the same whether what is gone was never there or still lies in its set', async t => {
  const kept = must(fitLsa([sparseDocuments(pieces.filter((_, i) => i % 3 !== 0).map(({ terms }) => terms))]))
  t.equal(must(fitLsa([documents], { isGone: ({ document }) => document % 3 === 0 })).id, kept.id)
})

test('the columns of the matrix are orthonormal', async t => {
  t.equal(fit.dimensions, 128)
  const angles = symmetricProduct(fit.matrix, fit.matrix, fit.terms.size, 128)
  const worst = Math.max(...angles.map((cosine, at) => Math.abs(cosine - (at % 129 === 0 ? 1 : 0))))
  t.ok(worst < 1e-4, `${worst}`)
})

test('folding a fitted document gives its own row: alone, among others, and by hand', async t => {
  const { vectors, known } = foldDocuments(fit, documents)
  let worst = 0
  for (const [i, { terms }] of pieces.entries()) {
    const row = vectors.subarray(i * fit.dimensions, (i + 1) * fit.dimensions)
    const alone = foldTerms(fit, terms)
    if (alone === null) {
      t.equal(known[i], 0)
      t.ok(row.every(value => value === 0))
      continue
    }
    t.equal(known[i], 1)
    const plain = plainVector(fit, terms)
    for (let k = 0; k < row.length; k++) {
      worst = Math.max(worst, Math.abs((row[k] ?? 0) - (alone[k] ?? 0)), Math.abs((row[k] ?? 0) - (plain[k] ?? 0)))
    }
  }
  t.ok(worst < 1e-5, `${worst}`)
})

test('the unknown words of the fitted documents are as many as the fit says', async t => {
  const { occurrences, unknownOccurrences } = foldDocuments(fit, documents)
  t.ok(Math.abs(unknownOccurrences / occurrences - fit.unknownShare) < 1e-9)
  t.ok(fit.unknownShare > 0 && fit.unknownShare < 0.5, `${fit.unknownShare}`)
})

test('documents about one thing are nearer to each other than those about another', async t => {
  const { vectors, known } = foldDocuments(fit, documents)
  const at = (i: number) => vectors.subarray(i * fit.dimensions, (i + 1) * fit.dimensions)
  let hits = 0
  let byChance = 0
  let asked = 0
  for (let i = 0; i < pieces.length; i += 3) {
    if (known[i] === 0) continue
    const folder = dirname(must(pieces[i]).path)
    const others = pieces.flatMap(({ path }, j) =>
      path === pieces[i]?.path ? [] : [{ folder: dirname(path), similarity: dot(at(i), at(j)) }],
    )
    const nearest = others.reduce((best, other) => (other.similarity > best.similarity ? other : best))
    if (nearest.folder === folder) hits++
    byChance += others.filter(other => other.folder === folder).length / others.length
    asked++
  }
  t.ok(
    hits > byChance * 2 && hits > asked / 2,
    `${hits} of ${asked} pieces have their nearest one in their own folder; by chance ${byChance.toFixed(0)}`,
  )
})

test('words that never stand together are alike when they stand beside the same words', async t => {
  const bits = seededBits(4)
  const about = (first: string, words: string) =>
    Array.from(
      { length: 20 },
      () =>
        `${first} ${words
          .split(' ')
          .filter(() => bits() % 3 !== 0)
          .join(' ')}`,
    )
  const texts = [
    ...about('automobile', 'engine wheel road driver brake fuel'),
    ...about('car', 'engine wheel road driver brake fuel'),
    ...about('violin', 'string bow music concert sound note'),
  ]
  const small = must(fitLsa([sparseDocuments(texts.map(countTerms))], { dimensions: 2 }))
  const [automobile, car, violin] = ['automobile', 'car', 'violin'].map(word =>
    must(foldTerms(small, countTerms(word))),
  )
  t.ok(dot(must(automobile), must(car)) > 0.9, `${dot(must(automobile), must(car))}`)
  t.ok(dot(must(automobile), must(violin)) < 0.1, `${dot(must(automobile), must(violin))}`)
})
