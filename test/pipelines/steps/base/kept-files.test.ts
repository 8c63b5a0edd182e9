import { test } from 'tap'
import { filesOf, readKept } from '../../../../src/pipelines/steps/base/kept-files.ts'

test('the files that a job keeps are read as texts', async t => {
  const files = {
    list: async () => [
      { path: 'a', bytes: 1, sha256: '' },
      { path: 'b', bytes: 1, sha256: '' },
    ],
    read: async (path: string) => Buffer.from(`text of ${path}`),
  }
  t.same(
    [...(await readKept({ files: files as never }))],
    [
      ['a', 'text of a'],
      ['b', 'text of b'],
    ],
  )
})

test('the files of a body are a record of texts, or left out', async t => {
  t.same([...filesOf({ a: '1' })], [['a', '1']])
  t.equal(filesOf(undefined).size, 0)
  for (const wrong of [null, 'a', { a: 1 }]) t.throws(() => filesOf(wrong), { code: 'BAD_REQUEST' })
})
