import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import fc from 'fast-check'
import { runs } from '../../helpers/property-runs.ts'
import { assembleGeneration } from '../../../src/vecstore/transport/assemble-generation.ts'
import { encodeDescription, piecesOf } from '../../../src/vecstore/transport/description.ts'
import { describeGeneration } from '../../../src/vecstore/transport/describe-generation.ts'
import { contentsOf, inFolder, makeGeneration, type MadeFiles } from './made-generation.ts'
import { ObjectShelf } from './object-shelf.ts'

const PIECE = 16_384
const LARGE_PIECE = 4 * 1_048_576

/** Bytes that no two seeds share, quickly made. */
const bytesOf = (seed: number, length: number): Buffer =>
  length === 0 ? Buffer.alloc(0) : createHash('shake256', { outputLength: length }).update(String(seed)).digest()

/** Sizes about the ends of pieces, and others. */
const sizes = (piece: number, most: number) =>
  fc.oneof(
    fc.nat(2_000),
    fc.tuple(fc.nat(most), fc.integer({ min: -1, max: 1 })).map(([count, by]) => Math.max(0, count * piece + by)),
  )

const made = fc
  .record({
    seed: fc.nat(),
    catalogue: sizes(PIECE, 20),
    lexical: sizes(LARGE_PIECE, 1),
    vectors: fc.option(sizes(LARGE_PIECE, 1)),
    fit: fc.option(fc.nat(5_000)),
    hnsw: fc.option(sizes(LARGE_PIECE, 2)),
  })
  .map(({ seed, ...lengths }): MadeFiles => {
    const file = (i: number, length: number) => bytesOf(seed + i, length)
    const orNull = (i: number, length: number | null) => (length === null ? null : file(i, length))
    const { catalogue, lexical, vectors, fit, hnsw } = lengths
    return {
      catalogue: file(1, catalogue),
      lexical: file(2, lexical),
      vectors: orNull(3, vectors),
      fit: orNull(4, fit),
      hnsw: orNull(5, hnsw),
    }
  })

test('whatever the files of a generation are, they arrive as they were', async t => {
  await fc.assert(
    fc.asyncProperty(made, fc.integer({ min: 1, max: 20 }), (files, width) =>
      inFolder(async root => {
        const [from, to] = [join(root, 'from'), join(root, 'to')]
        mkdirSync(to)
        await makeGeneration(from, 1, files)
        const shelf = new ObjectShelf()
        const { description } = await shelf.put(from, 1)
        await assembleGeneration(to, description, shelf.fetchPiece, { width })
        t.strictSame(contentsOf(to), contentsOf(from))
      }),
    ),
    { numRuns: runs(60) },
  )
})

test('pages that change, come or go cost the pieces that they lie in, both ways', async t => {
  const change = fc.record({
    pages: fc.array(fc.nat(299), { maxLength: 12 }),
    grows: fc.integer({ min: -40, max: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.nat(), change, (seed, { pages, grows }) =>
      inFolder(async root => {
        const [from, to] = [join(root, 'from'), join(root, 'to')]
        mkdirSync(to)
        const page = 8_192
        const before = bytesOf(seed, 300 * page)
        const after = Buffer.concat([
          before.subarray(0, (300 + Math.min(0, grows)) * page),
          bytesOf(seed + 1, Math.max(0, grows) * page),
        ])
        for (const i of pages) if ((i + 1) * page <= after.length) bytesOf(seed + 2 + i, page).copy(after, i * page)
        const others = { lexical: bytesOf(seed + 500, 9_000), vectors: null, fit: bytesOf(seed + 501, 99), hnsw: null }
        const shelf = new ObjectShelf()
        for (const [i, catalogue] of [before, after].entries()) {
          await makeGeneration(from, i + 1, { ...others, catalogue })
          const { description, added } = await shelf.put(from, i + 1)
          shelf.asked.length = 0
          await assembleGeneration(to, description, shelf.fetchPiece)
          if (i === 0) continue
          // the manifest, a piece for each page, those that came, and the last one before and after them
          const most = 1 + new Set(pages).size + Math.ceil(Math.max(0, grows) / 2) + 2
          t.ok(added.length <= most, `${added.length} new pieces for ${pages.length} pages and ${grows} more`)
          t.same(new Set(shelf.asked), new Set(added.map(({ sha256 }) => sha256)), 'what is new is what is fetched')
          t.equal(contentsOf(to).get('000002/catalogue.sqlite')?.equals(after), true)
        }
      }),
    ),
    { numRuns: runs(60) },
  )
})

test('a description is small, and its pieces are what is said of them', async t => {
  const root = t.testdir()
  const catalogue = bytesOf(1, 400 * PIECE + 1)
  await makeGeneration(root, 1, { catalogue, lexical: bytesOf(2, 10), vectors: null, fit: null, hnsw: null })
  await using described = await describeGeneration(root, 1)
  const encoded = encodeDescription(described.description)
  t.ok(encoded.length < 401 * 44 + 1_000, `${encoded.length} bytes`)
  const { pieces } = described.description.files[1] ?? { pieces: [] }
  t.same([pieces.length, pieces[0]?.bytes, pieces.at(-1)?.bytes], [401, PIECE, 1])
  t.equal(piecesOf(described.description).size, 403)
})
