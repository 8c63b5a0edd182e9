import { test } from 'tap'
import { linesOf, nameAbove, openBlock, type OpenBlock } from '../../../src/edits/read/block.ts'
import { readFence } from '../../../src/edits/read/fence-lines.ts'

/** What the first fence of these lines opens. */
function opened(lines: string[], floor = 0): Omit<OpenBlock, 'fence'> {
  const at = lines.findIndex(line => readFence(line) !== null)
  const fence = readFence(lines[at] ?? '')
  if (fence === null) throw new Error('There is no fence.')
  const { language, name, content } = openBlock(lines, at, { fence, floor })
  return { language, name, content }
}

test('a block has its language and its name from the fence and from the line above', async t => {
  t.same(opened(['a.py', '```Python x', 'y']), {
    language: 'python',
    name: { path: 'a.py', named: 'line' },
    content: 'other',
  })
  t.match(opened(['a.py', '', '```', 'y']).name, { path: 'a.py' })
  t.match(opened(['a.py', '', '', '```', 'y']).name, { path: 'a.py', named: 'line' })
  t.match(opened(['## a.py', 'Add this function:', '', '```', 'y']).name, { path: 'a.py', named: 'part' })
  t.match(opened(['## a.py', 'The sum.', '', '```', 'y']).name, { path: 'a.py', named: 'sentence' })
  t.match(opened(['```python', '# a.py', 'y']).name, { path: 'a.py', named: 'line', ownLine: '# a.py' })
  t.match(opened(['```diff', '# a.py', 'y']).name, { path: 'a.py', ownLine: '# a.py' })
  t.equal(opened(['```diff', '-- a.sql', 'y']).name, null)
  t.equal(opened(['a.py', '```', 'y'], 1).name, null, 'a line before the floor')
  t.match(opened(['```python b.py', 'y']).name, { path: 'b.py' })
  t.match(opened(['a.py', '```python b.py', 'y']).name, { path: 'b.py' }, 'the info string is nearer')
  t.match(opened(['a.py', '```b.py', 'y']).name, { path: 'a.py' }, 'a line above a bare name')
  t.match(opened(['In `a.py`:', '```b.py', 'y']).name, { path: 'b.py' }, 'a sentence above it')
  t.match(opened(['a.py', '```src/b.py', 'y']).name, { path: 'src/b.py' })
  t.equal(nameAbove(['a.py', 'x'], 2, { floor: 0, language: '' }), null)
})

test('a block holds diffs when its language or its first lines say so', async t => {
  const content = (...lines: string[]): string => opened(lines).content
  t.equal(content('```diff', 'x'), 'diff')
  t.equal(content('```patch', 'x'), 'diff')
  t.equal(content('```', '--- a/x', '+++ b/x'), 'diff')
  t.equal(content('```', '', '', '@@ -1 +1 @@'), 'diff')
  t.equal(content('```', ...Array.from({ length: 9 }, () => ''), '@@ -1 +1 @@'), 'other', 'behind many blank lines')
  t.equal(content('  ```', '  --- a/x', '  +++ b/x'), 'diff', 'indented with the fence')
  t.equal(content('```bash', "apply_patch <<'EOF'", '*** Begin Patch'), 'diff')
  t.equal(content('fix.patch', '```diff', '--- a/x', '+++ b/x'), 'other', 'a file of its own')
  t.equal(content('a.md', '```', '--- x', '+++ y'), 'markdown', 'rules and lists of Markdown')
  t.equal(content('a.md', '```', '--- a/x', '+++ b/x'), 'diff')
  t.equal(content('```markdown', 'x'), 'markdown')
  t.equal(content('a.md', '```', 'x'), 'markdown')
  t.equal(content('```python', 'x'), 'other')
})

test('the lines of a block are those between its fences', async t => {
  const fence = { indent: 2, mark: '```', info: '' }
  const block = { fence, language: '', name: null, content: 'other' as const, from: 1, to: 3 }
  t.same(linesOf(['  ```', '  a', '    b', '  ```'], block), ['a', '  b'])
})
