import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'tap'
import fc from 'fast-check'
import { LexicalSegment } from '../../../src/vecstore/lexical/lexical-segment.ts'
import { LexicalSegmentWriter } from '../../../src/vecstore/lexical/lexical-segment-writer.ts'
import { FOLDED } from '../../../src/vecstore/transport/recipes/folded.ts'
import { GRAPH } from '../../../src/vecstore/transport/recipes/graph.ts'
import { POSTINGS } from '../../../src/vecstore/transport/recipes/postings.ts'
import {
  PartReader,
  type FoldVectors,
  type Ingredients,
  type Recipe,
} from '../../../src/vecstore/transport/recipes/recipe.ts'
import { ROWS } from '../../../src/vecstore/transport/recipes/rows.ts'
import { VarintReader, VarintWriter } from '../../../src/vecstore/transport/recipes/varints.ts'
import { rowsHeader } from '../../../src/vecstore/transport/recipes/vector-rows.ts'
import { VectorIndex } from '../../../src/vecstore/vectors/vector-index.ts'
import { NEEDS_HNSW } from '../../helpers/hnsw.ts'
import { runs } from '../../helpers/property-runs.ts'
import { DIMENSIONS, vectors } from '../vectors/index-fixture.ts'
import { inFolder } from './made-generation.ts'

type Files = Record<string, Uint8Array>

/** Looks at the files of a generation that lie in one folder. */
async function withFiles<T>(
  files: Files,
  fold: FoldVectors | null,
  work: (handles: Map<string, FileHandle>, others: Ingredients) => Promise<T>,
): Promise<T> {
  return await inFolder(async folder => {
    await using opened = new AsyncDisposableStack()
    const handles = new Map<string, FileHandle>()
    for (const [i, [name, bytes]] of Object.entries(files).entries()) {
      writeFileSync(join(folder, String(i)), bytes)
      handles.set(name, opened.use(await open(join(folder, String(i)), 'r')))
    }
    const vectorPaths = Object.keys(files).filter(name => name.endsWith('.vectors'))
    return await work(handles, { vectorPaths, fold, learn: null, open: async name => handles.get(name) ?? null })
  })
}

async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

interface Made {
  parts: Uint8Array[]
  bytes: Buffer
}

async function allOf(runs: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = []
  for await (const run of runs) all.push(Uint8Array.from(run))
  return all
}

/** Takes a file apart and makes it again; null: the recipe is none for it. */
async function throughRecipe(recipe: Recipe, path: string, files: Files, fold: FoldVectors | null = null) {
  const bytes = files[path] ?? new Uint8Array()
  const file = { path, bytes: bytes.length, sha256: hash('sha256', bytes) }
  return await withFiles(files, fold, async (handles, others): Promise<Made | null> => {
    const handle = handles.get(path)
    if (handle === undefined) throw new Error(`There is no ${path}.`)
    const parts = await allOf(recipe.parts(file, handle, others)).catch((error: unknown) => {
      if (error instanceof RangeError) return null
      throw error
    })
    if (parts === null) return null
    return { parts, bytes: Buffer.concat(await allOf(recipe.make(file, new PartReader(each(parts)), others))) }
  })
}

const bytesIn = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0)

/** What has to travel. */
const sizeOf = (made: Made | null): number => (made === null ? NaN : bytesIn(made.parts))

/** A file of these rows. */
function rowsFile(rows: ReadonlyMap<number, Float32Array>, dimensions: number): Buffer {
  return Buffer.concat([
    rowsHeader(dimensions, rows.size),
    Buffer.from(Uint32Array.from(rows.keys()).buffer),
    ...[...rows.values()].map(row => Buffer.from(row.buffer, row.byteOffset, row.byteLength)),
  ])
}

interface MadeGraph {
  dimensions: number
  links: number
  points: Array<{ label: number; links: number[]; vector: number[] }>
  upper: Uint8Array
}

/** A graph as hnswlib writes it, whatever its links are. */
function graphFile({ dimensions, links, points, upper }: MadeGraph): Buffer {
  const vectorAt = 4 + links * 4
  const labelAt = vectorAt + dimensions * 4
  const recordBytes = labelAt + 8
  const header = Buffer.alloc(96, 7)
  for (const [at, value] of [
    [16, points.length],
    [24, recordBytes],
    [32, labelAt],
    [40, vectorAt],
  ] as const) {
    header.writeBigUInt64LE(BigInt(value), at)
  }
  const records = points.map(point => {
    const record = Buffer.alloc(recordBytes)
    record.writeUInt32LE(Math.min(links, point.links.length), 0)
    for (const [i, link] of point.links.slice(0, links).entries()) record.writeUInt32LE(link, 4 + i * 4)
    for (let i = 0; i < dimensions; i++) record.writeFloatLE(point.vector[i] ?? 0, vectorAt + i * 4)
    record.writeUInt32LE(point.label, labelAt)
    return record
  })
  return Buffer.concat([header, ...records, upper])
}

const graph: fc.Arbitrary<MadeGraph> = fc.record({
  dimensions: fc.integer({ min: 1, max: 5 }),
  links: fc.integer({ min: 1, max: 6 }),
  points: fc.uniqueArray(
    fc.record({
      label: fc.nat(10_000),
      links: fc.array(fc.nat(50), { maxLength: 6 }),
      vector: fc.array(fc.float({ noNaN: true }), { minLength: 5, maxLength: 5 }),
    }),
    { maxLength: 40, selector: ({ label }) => label },
  ),
  upper: fc.uint8Array({ maxLength: 99 }),
})

const SEGMENTS = ['segments/000001.vectors', 'segments/000002.vectors']

/** The files of a generation whose segments have the vectors of some points, and other ones for others. */
const withGraph = fc.record({ made: graph, seed: fc.nat() }).map(({ made, seed }): Files => {
  const { dimensions, points } = made
  const rows = SEGMENTS.map(() => new Map<number, Float32Array>())
  for (const [i, { label, vector }] of points.entries()) {
    const fate = (seed >>> (i % 13)) % 4 // gone, in either segment, or changed
    const row = Float32Array.from({ length: dimensions }, (_, d) => (vector[d] ?? 0) + (fate === 3 ? 1 : 0))
    if (fate > 0) rows[i % 2]?.set(label, row)
  }
  return {
    'vectors.hnsw': graphFile(made),
    ...Object.fromEntries(SEGMENTS.map((name, i) => [name, rowsFile(rows[i] ?? new Map(), dimensions)])),
  }
})

test('a graph is made of its links and of the vectors that segments have', async t => {
  await fc.assert(
    fc.asyncProperty(withGraph, async files => {
      const made = await throughRecipe(GRAPH, 'vectors.hnsw', files)
      t.ok(made?.bytes.equals(files['vectors.hnsw'] ?? Buffer.alloc(0)))
    }),
    { numRuns: runs(150) },
  )
})

/** A graph of `count` points, as the library writes it, and the segments that it was built of. */
async function realGraph(folder: string, count: number): Promise<Files> {
  const all = vectors(count)
  const index = VectorIndex.create(DIMENSIONS, count)
  for (const [i, vector] of all.entries()) index.add(i + 1, vector)
  await index.write(join(folder, 'graph'))
  const handle = await open(join(folder, 'graph'), 'r')
  const rows = new Map(all.map((vector, i) => [i + 1, vector]))
  try {
    return { 'vectors.hnsw': await handle.readFile(), [SEGMENTS[0] ?? '']: rowsFile(rows, DIMENSIONS) }
  } finally {
    await handle.close()
  }
}

test(
  'a graph of the library travels without its vectors; those of chunks that went come along',
  NEEDS_HNSW,
  async t => {
    const files = await realGraph(t.testdir(), 3_000)
    const bytes = files['vectors.hnsw']?.length ?? 0
    const made = await throughRecipe(GRAPH, 'vectors.hnsw', files)
    t.ok(made?.bytes.equals(files['vectors.hnsw'] ?? Buffer.alloc(0)))
    t.ok(sizeOf(made) < bytes / 7, `${sizeOf(made)} of ${bytes} bytes`)
    const left = new Map(vectors(3_000).flatMap((vector, i) => (i % 10 === 0 ? [] : [[i + 1, vector] as const])))
    const later = await throughRecipe(GRAPH, 'vectors.hnsw', {
      ...files,
      [SEGMENTS[0] ?? '']: rowsFile(left, DIMENSIONS),
    })
    t.ok(later?.bytes.equals(files['vectors.hnsw'] ?? Buffer.alloc(0)))
    const more = sizeOf(later) - sizeOf(made)
    t.equal(more, 300 * (DIMENSIONS + 1) * 4, 'the vectors of 300 chunks and where they belong')
  },
)

const words = fc.array(fc.stringMatching(/^[a-zäß_€𝄞]{1,6}$/u), { minLength: 0, maxLength: 12 })
const lexical = fc
  .record({ texts: fc.array(words, { minLength: 1, maxLength: 25 }), ids: fc.integer({ min: 1, max: 2 ** 31 }) })
  .map(({ texts, ids }) => {
    const writer = new LexicalSegmentWriter()
    for (const [i, text] of texts.entries()) {
      writer.add({ chunkId: ids + i * 3, fileId: ids + (i >> 1), path: `src/f${i >> 1}.py`, text: text.join(' ') })
    }
    return Buffer.from(writer.toBytes())
  })

test('a segment of the text index is made of the numbers that it grows by', async t => {
  await fc.assert(
    fc.asyncProperty(lexical, async bytes => {
      const made = await throughRecipe(POSTINGS, 'segments/000001.lexical', { 'segments/000001.lexical': bytes })
      t.ok(made?.bytes.equals(bytes))
      t.ok(sizeOf(made) < bytes.length)
    }),
    { numRuns: runs(150) },
  )
})

test('vectors that are in two files are parts of both', async t => {
  const all = vectors(4_000)
  const [first, second] = SEGMENTS
  const rowsFrom = (from: number, to: number, isGone: (id: number) => boolean = () => false) =>
    rowsFile(
      new Map(all.flatMap((row, i) => (i < from || i >= to || isGone(i) ? [] : [[i, row] as const]))),
      DIMENSIONS,
    )
  const partsOf = async (path = '', bytes: Buffer) => {
    const made = await throughRecipe(ROWS, path, { [path]: bytes })
    t.ok(made?.bytes.equals(bytes))
    return new Map(made?.parts.map(part => [hash('sha256', part), part]))
  }
  const before = new Map([
    ...(await partsOf(first, rowsFrom(0, 3_000))),
    ...(await partsOf(second, rowsFrom(3_000, 4_000))),
  ])
  t.ok(before.size > 30, `${before.size} parts`)
  const isGone = (id: number) => (id >= 500 && id < 520) || id === 3_500
  const merged = [...(await partsOf(first, rowsFrom(0, 4_000, isGone)))]
  const added = bytesIn(merged.flatMap(([digest, part]) => (before.has(digest) ? [] : [part])))
  t.ok(added < 4_000 * 4 + 6 * 8 * 32_768, `${added} bytes are new: the ids, and the parts around what went`)
  const same = rowsFile(new Map(all.map((_, i) => [i, new Float32Array(DIMENSIONS)])), DIMENSIONS)
  const parts = [...(await partsOf(first, same)).values()]
  t.ok(
    parts.every(({ length }) => length <= 8 * 32_768),
    'rows that end no part, or each, are parts of bounded size',
  )
})

/** A space of two dimensions: how many words a chunk has, and how many different ones. */
const counting: FoldVectors = (fit, rows) => {
  if (fit[0] !== 1) throw new RangeError('This is no fit.')
  const vectors = new Float32Array(rows.documentCount * 2)
  for (let document = 0; document < rows.documentCount; document++) {
    const [from = 0, to = 0] = rows.offsets.subarray(document, document + 2)
    vectors[document * 2] = rows.counts.subarray(from, to).reduce((sum, count) => sum + count, 0)
    vectors[document * 2 + 1] = rows.termIds.subarray(from, to).reduce((sum, id) => sum + rows.termAt(id).length, 0)
  }
  return { dimensions: 2, vectors }
}

test('vectors of a learned space are made of the terms, and of nothing that travels', async t => {
  const writer = new LexicalSegmentWriter()
  for (let i = 0; i < 4_500; i++) {
    writer.add({
      chunkId: 5 + i,
      fileId: i,
      path: `f${i}.py`,
      text: `word${i % 7} text_${i % 90} ${'x '.repeat(i % 5)}`,
    })
  }
  const bytes = writer.toBytes()
  const segment = new LexicalSegment(bytes)
  const { vectors: values } = counting(Uint8Array.of(1), segment.chunkRows())
  const rows = new Map([...segment.views.chunkIds].map((id, i) => [id, values.subarray(i * 2, i * 2 + 2)]))
  const files = {
    'segments/000001.lexical': bytes,
    'segments/000001.vectors': rowsFile(rows, 2),
    'fit.bin': Uint8Array.of(1),
  }
  const made = await throughRecipe(FOLDED, 'segments/000001.vectors', files, counting)
  t.same(made?.parts, [])
  t.ok(made?.bytes.equals(files['segments/000001.vectors']), 'in several goes, the same')
  const { 'fit.bin': _fit, ...withoutFit } = files
  const cases: Record<string, [files: Files, fold: FoldVectors | null]> = {
    'nobody makes vectors': [files, null],
    'another space': [{ ...files, 'fit.bin': Uint8Array.of(2) }, counting],
    'no space': [withoutFit, counting],
    'no segment': [{ ...files, 'segments/000001.lexical': Buffer.from('none') }, counting],
    'other vectors': [
      files,
      (fit, rows) => ({ dimensions: 2, vectors: counting(fit, rows).vectors.map(value => value + 1) }),
    ],
    'other dimensions': [files, (fit, rows) => ({ ...counting(fit, rows), dimensions: 1 })],
  }
  for (const [what, [given, fold]] of Object.entries(cases)) {
    t.equal(await throughRecipe(FOLDED, 'segments/000001.vectors', given, fold), null, what)
  }
})

const RECIPES: ReadonlyArray<readonly [Recipe, string]> = [
  [GRAPH, 'vectors.hnsw'],
  [POSTINGS, 'segments/000001.lexical'],
  [ROWS, 'segments/000001.vectors'],
]

/** Bytes that were a file once, and any others. */
const damaged = fc
  .tuple(
    fc.oneof(
      withGraph.map(files => files['vectors.hnsw'] ?? new Uint8Array()),
      withGraph.map(files => files['segments/000001.vectors'] ?? new Uint8Array()),
      lexical,
      fc.uint8Array({ maxLength: 300 }),
    ),
    fc.oneof(fc.constant([]), fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { maxLength: 3 })),
    fc.option(fc.nat(), { freq: 1 }),
    fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ maxLength: 5 })),
  )
  .map(([bytes, changes, cutAt, more]) => {
    const changed = Buffer.concat([cutAt === null ? bytes : bytes.subarray(0, cutAt % (bytes.length + 1)), more])
    for (const { at, byte } of changes) if (changed.length > 0) changed[at % changed.length] = byte
    return changed
  })

test('whatever the bytes are, a recipe makes the very same ones or is none for them', async t => {
  let made = 0
  await fc.assert(
    fc.asyncProperty(damaged, async bytes => {
      for (const [recipe, path] of RECIPES) {
        const through = await throughRecipe(recipe, path, { [path]: bytes })
        if (through !== null) made++
        t.ok(through?.bytes.equals(bytes) ?? true, recipe.name)
      }
    }),
    { numRuns: runs(400) },
  )
  t.ok(made > 5, `${made} could be made`)
})

test('parts that are wrong, too few or too many make other bytes or an error, and no more than there should be', async t => {
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255), drop: fc.option(fc.nat(30)), more: fc.nat(30) })
  const cases = fc.oneof(
    withGraph.map(files => ({ recipe: GRAPH, path: 'vectors.hnsw', files })),
    lexical.map(bytes => ({
      recipe: POSTINGS,
      path: 'segments/000001.lexical',
      files: { 'segments/000001.lexical': bytes },
    })),
  )
  await fc.assert(
    fc.asyncProperty(cases, change, async ({ recipe, path, files }, { at, byte, drop, more }) => {
      const { [path]: bytes = new Uint8Array() } = files as Files
      const through = await throughRecipe(recipe, path, files)
      const all = Buffer.concat(through?.parts ?? [])
      const kept = drop === null ? all : all.subarray(0, Math.max(0, all.length - drop))
      const wrong = Buffer.concat([kept, Buffer.alloc(drop === null ? more : 0, byte)])
      if (wrong.length > 0) wrong[at % wrong.length] = byte
      const file = { path, bytes: bytes.length, sha256: hash('sha256', bytes) }
      await withFiles(files, null, async (_, others) => {
        let length = 0
        try {
          for await (const run of recipe.make(file, new PartReader(each([wrong])), others)) length += run.length
        } catch (error) {
          t.ok(error instanceof RangeError, String(error))
        }
        t.ok(length <= bytes.length, `${length} of ${bytes.length} bytes`)
      })
    }),
    { numRuns: runs(400) },
  )
})

test('numbers of 32 bits and of either sign are read as they were written', async t => {
  const number = fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1), fc.constantFrom(2 ** 31, 2 ** 32 - 1, 127, 128, 0))
  const signed = fc.oneof(fc.integer({ min: -200, max: 200 }), fc.integer({ min: 1 - 2 ** 31, max: 2 ** 31 - 1 }))
  fc.assert(
    fc.property(fc.array(fc.tuple(number, signed)), pairs => {
      const writer = new VarintWriter()
      for (const [one, other] of pairs) {
        writer.put(one)
        writer.putSigned(other)
      }
      const reader = new VarintReader(writer.bytes())
      for (const [one, other] of pairs) {
        if (reader.take() !== one || reader.takeSigned() !== other) throw new Error(`${one} ${other}`)
      }
      t.throws(() => reader.take(), RangeError)
    }),
    { numRuns: runs(300) },
  )
  t.throws(() => new VarintReader(Buffer.alloc(9, 255)).take(), RangeError)
})
