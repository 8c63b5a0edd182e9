import { test } from 'tap'
import { readTexts } from '../../../../src/pipelines/steps/base/read-texts.ts'

test('texts come in the order of their paths, without what is no text', async t => {
  const read = async (path: string) => (path === 'image' ? null : path.toUpperCase())
  t.same(
    [...(await readTexts({ read }, ['b', 'image', 'a']))],
    [
      ['b', 'B'],
      ['a', 'A'],
    ],
  )
})
