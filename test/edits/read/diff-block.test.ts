import { test } from 'tap'
import type { Reply } from '../../../src/edits/edit.ts'
import type { Block } from '../../../src/edits/read/block.ts'
import { readDiffBlock } from '../../../src/edits/read/diff-block.ts'
import { replyLines } from '../../../src/edits/read/reply-lines.ts'

const NAMED = { path: 'named.py', named: 'line' as const }

/** Reads the lines between the first and the last one as a block of diffs. */
function read(
  lines: string[],
  { name = null, lastPath = null }: { name?: Block['name']; lastPath?: string | null } = {},
): Pick<Reply, 'diffs' | 'problems'> {
  const fence = { indent: 0, mark: '```', info: 'diff' }
  const block: Block = { fence, language: 'diff', name, content: 'diff', from: 1, to: lines.length - 1 }
  return readDiffBlock(replyLines(lines.join('\n')), block, lastPath)
}

test('hunks without names are of the file that the block, or the reply before it, names', async t => {
  const hunk = ['```', '@@ -1 +1 @@', '-a', '+b', '```']
  t.match(read(hunk, { name: NAMED, lastPath: 'last.py' }).diffs, [{ newPath: 'named.py', line: 1 }])
  t.match(read(hunk, { lastPath: 'last.py' }).diffs, [{ newPath: 'last.py' }])
  t.match(read(hunk), { diffs: { length: 0 }, problems: [{ reason: 'malformed' }] })
})

test('a line knows whether the reply ends it otherwise than the others', async t => {
  const [diff] = read(['```', '--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b\r', '```']).diffs
  t.same(
    diff?.hunks[0]?.lines.map(({ text, hasCr }) => [text, hasCr]),
    [
      ['a', false],
      ['b', true],
    ],
  )
})

test('an envelope is found behind the command that takes it', async t => {
  const lines = ['```', 'apply_patch <<EOF', '*** Begin Patch', '*** Delete File: x', '*** End Patch', 'EOF', '```']
  t.match(read(lines), { diffs: [{ kind: 'delete', oldPath: 'x', line: 3 }], problems: { length: 0 } })
})

test('a block of diffs without a hunk is a problem, and an empty one is none', async t => {
  t.match(read(['```', 'some words', '```'], { name: NAMED }).problems, [
    { path: 'named.py', detail: /no hunk/, hunkText: 'some words' },
  ])
  t.same(read(['```', '', '```']), { diffs: [], problems: [] })
  t.match(read(['```', '<<<<<<< HEAD', 'a', '=======', 'b', '>>>>>>> main', '```']).problems, [
    { detail: /Marks of a conflict/ },
  ])
})
