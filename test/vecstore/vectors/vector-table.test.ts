import { test } from 'tap'
import { VectorTable } from '../../../src/vecstore/vectors/vector-table.ts'
import { ROWS } from './rows-fixture.ts'

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
