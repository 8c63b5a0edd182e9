import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { checksumOf } from '../../../src/vecstore/format/durable-files.ts'
import { buildHnsw, measureRecall } from '../../../src/vecstore/vectors/hnsw-build.ts'
import { VectorIndex } from '../../../src/vecstore/vectors/vector-index.ts'
import { createVectorFile, VectorFile, type VectorRows } from '../../../src/vecstore/vectors/vector-file.ts'
import { VectorTable } from '../../../src/vecstore/vectors/vector-table.ts'

const ROWS = { dimensions: 3, ids: Uint32Array.of(4, 7), values: Float32Array.of(1, 0, 0, 0, 1, 0) }

async function writeRows(
  path: string,
  { dimensions, ids, values }: VectorRows,
  parts = [values],
): Promise<{ bytes: number; sha256: string }> {
  await using writer = await createVectorFile(path, { dimensions, ids })
  for (const part of parts) await writer.append(part)
  return await writer.finish()
}

test('vectors come back as they were written, at once or in parts, also after their folder went', async t => {
  const path = join(t.testdir(), 'a.vectors')
  const checksum = await writeRows(path, ROWS)
  t.same(await checksumOf(path), checksum)
  t.same(await writeRows(path, ROWS, [ROWS.values.slice(0, 3), ROWS.values.slice(3)]), checksum)
  using file = new VectorFile(path)
  rmSync(path)
  t.same(file.read(), ROWS)
  t.same(file.read(), ROWS, 'and again')
})

test('what is no whole file of vectors is refused, as are vectors that are none', async t => {
  const path = join(t.testdir(), 'a.vectors')
  await writeRows(path, ROWS)
  truncateSync(path, 40)
  {
    using file = new VectorFile(path)
    t.throws(() => file.read(), RangeError)
  }
  writeFileSync(path, 'something else, but long enough')
  using other = new VectorFile(path)
  t.throws(() => other.read(), RangeError)
  for (const values of [[NaN, 0, 0, 0, 1, 0], [1], [1, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 1]]) {
    await t.rejects(writeRows(path, { ...ROWS, values: Float32Array.from(values) }), RangeError, `${values}`)
  }
})

test('a table takes the rows that are wanted of several files and finds ties by id', async t => {
  const table = new VectorTable(3, [ROWS, { ...ROWS, ids: Uint32Array.of(2, 9) }], id => id !== 7)
  t.equal(table.size, 3)
  t.same(table.search(Float32Array.of(1, 0, 0), 2), [
    { id: 2, innerProduct: 1 },
    { id: 4, innerProduct: 1 },
  ])
  t.throws(() => table.search(Float32Array.of(1, 0), 2), RangeError)
  t.throws(() => new VectorTable(4, [ROWS]), RangeError)
})

test('recall is 1 where all neighbours are found and less where they are not, in one table or in many', async t => {
  const points = Array.from({ length: 300 }, (_, i) => [Math.cos(i / 60), Math.sin(i / 60)])
  const part = (from: number, to: number) =>
    new VectorTable(2, [
      {
        dimensions: 2,
        ids: Uint32Array.from({ length: to - from }, (_, i) => from + i),
        values: Float32Array.from(points.slice(from, to).flat()),
      },
    ])
  const table = part(0, 300)
  const all = { dimensions: 2, size: 300 }
  const seen: number[] = []
  const index = await buildHnsw([table], all, { onProgress: done => seen.push(done) })
  t.same(seen, [200])
  t.equal(
    measureRecall(index, () => [table], 300),
    1,
  )
  const parts = () => [part(0, 7), part(7, 7), part(7, 250), part(250, 300)]
  const pieced = await buildHnsw(parts(), all)
  t.same(pieced.ids(), index.ids())
  t.equal(measureRecall(pieced, parts, 300), 1)
  const blind = VectorIndex.create(2, 1)
  blind.add(0, table.vectorAt(0))
  t.ok((measureRecall(blind, parts, 300) ?? 1) < 0.1)
  t.equal(
    measureRecall(blind, () => [], 0),
    null,
  )
  await t.rejects(buildHnsw([table], all, { signal: AbortSignal.abort() }), { name: 'AbortError' })
})
