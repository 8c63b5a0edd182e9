import { test } from 'tap'
import { applyEdits } from '../../../src/edits/apply/apply-edits.ts'
import { Workspace } from '../../../src/edits/apply/workspace.ts'
import type { EditMemory } from '../../../src/edits/edit.ts'
import { readReply } from '../../../src/edits/read/read-reply.ts'
import { diffOf } from '../../helpers/reply-cases.ts'

test('what an earlier turn applied is not applied again', async t => {
  const reply = readReply(diffOf('@@ -1 +1,2 @@\n a\n+b\n'))
  const first = applyEdits(new Map([['f.txt', 'a\n']]), reply)
  const memory: EditMemory = JSON.parse(JSON.stringify(first.memory))
  const second = applyEdits(first.changed, reply, { memory })
  t.equal(second.changed.size, 0)
  t.same(
    second.applied.map(({ how }) => how),
    ['repeated'],
  )
  t.same(second.rejected, [])
  const third = applyEdits(new Map([['f.txt', 'a\nb\nc\n']]), readReply(diffOf('@@ -1,2 +1,3 @@\n a\n+b\n c\n')), {
    memory,
  })
  t.same(
    third.applied.map(({ how }) => how),
    ['repeated'],
    'with more context than before',
  )
})

test('a file that is written makes its folders, where no file may stand then', async t => {
  const files = new Workspace(new Map([['old/file.txt', '']]), {
    memory: { hunks: [], deleted: [] },
    work: { left: 1e6 },
  })
  t.equal(files.isBlocked('new/folder'), false)
  files.write('new/folder/file.txt', 'text')
  for (const folder of ['old', 'new', 'new/folder']) {
    t.equal(files.isFolder(folder), true, folder)
    t.equal(files.isBlocked(folder), true, folder)
  }
  t.equal(files.isFolder('new/folder/file.txt'), false)
  t.equal(files.isBlocked('new/folder/file.txt/below'), true)
  t.equal(files.isBlocked('new/folder/other.txt'), false)
})
