import { test } from 'tap'
import { openDeletions } from '../../../src/edits/apply/open-deletions.ts'
import { readReply } from '../../../src/edits/read/read-reply.ts'

const FILES = new Map(['a.py', 'src/b.py', 'src/c.py', 'lib/c.py'].map(path => [path, 'x\n']))

/** The files that are asked about when these are told to go. */
function askedAbout(names: string[], { kept = [] as string[], deleted = [] as string[], text = '' } = {}) {
  const told = { deletions: names.map(path => ({ path, text: `Delete ${path}.` })), kept }
  return openDeletions(told, { files: FILES, reply: readReply(text), deleted }).map(({ path }) => path)
}

test('a file that is told to go and is there is asked about once, under whichever name', async t => {
  t.same(askedAbout(['a.py', 'b.py', 'src/b.py', 'a.py']), ['a.py', 'src/b.py'])
})

test('a name that means no file, or several, is not asked about', async t => {
  t.same(askedAbout(['gone.py', 'c.py']), [])
})

test('what is edited, deleted or kept is not asked about', async t => {
  const text = '`a.py`:\n```py\nx = 1\n```\n'
  t.same(askedAbout(['a.py', 'src/b.py'], { text }), ['src/b.py'])
  t.same(askedAbout(['a.py', 'src/b.py'], { deleted: ['src/b.py'] }), ['a.py'])
  t.same(askedAbout(['a.py', 'src/b.py'], { kept: ['b.py'] }), ['a.py'])
})
