import { join } from 'node:path'
import { test } from 'tap'
import { namesIn, textOf } from '../../../src/sandbox/jail/optional-files.ts'

test('what is not there is empty', async t => {
  const folder = t.testdir({ b: 'text', a: {} })
  t.equal(textOf(join(folder, 'b')), 'text')
  t.equal(textOf(join(folder, 'gone')), '')
  t.equal(textOf(join(folder, 'a')), '', 'a folder has no text')
  t.same(namesIn(folder), ['a', 'b'])
  t.same(namesIn(join(folder, 'gone')), [])
  t.same(namesIn(join(folder, 'b')), [], 'a file has no names')
})
