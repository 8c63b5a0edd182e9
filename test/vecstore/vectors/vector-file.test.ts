import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { checksumOf } from '../../../src/vecstore/format/durable-files.ts'
import { VectorFile } from '../../../src/vecstore/vectors/vector-file.ts'
import { ROWS, writeRows } from './rows-fixture.ts'

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
