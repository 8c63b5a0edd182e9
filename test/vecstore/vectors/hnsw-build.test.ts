import { test } from 'tap'
import { NEEDS_HNSW } from '../../helpers/hnsw.ts'
import { buildHnsw, measureRecall } from '../../../src/vecstore/vectors/hnsw-build.ts'
import { VectorIndex } from '../../../src/vecstore/vectors/vector-index.ts'
import { VectorTable } from '../../../src/vecstore/vectors/vector-table.ts'

test(
  'recall is 1 where all neighbours are found and less where they are not, in one table or in many',
  NEEDS_HNSW,
  async t => {
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
  },
)
