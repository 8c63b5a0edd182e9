import { test } from 'tap'
import { Folders, parentsOf } from '../../../src/edits/apply/folders.ts'

test('the folders above a path are all of them but the root', async t => {
  t.same(parentsOf('a/b/c.py'), ['a', 'a/b'])
  t.same(parentsOf('c.py'), [])
})

test('a folder is there as soon as a file in it is, whether that was written before or after it was asked for', async t => {
  const folders = new Folders(['a/b/c.py', 'd.py'])
  folders.add('x/y.py')
  for (const path of ['a', 'a/b', 'x']) t.ok(folders.has(path), path)
  for (const path of ['a/b/c.py', 'd.py', 'b', 'z', '']) t.notOk(folders.has(path), path)
  folders.add('z/q/r.py')
  for (const path of ['z', 'z/q', 'a', 'x']) t.ok(folders.has(path), path)
})
