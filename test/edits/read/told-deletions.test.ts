import { test } from 'tap'
import { deletionsIn } from '../../../src/edits/read/told-deletions.ts'
import { app, APP, checkReplies, fenced, HUNK, NAMES, SAVED } from '../../helpers/reply-cases.ts'

test('prose says of files that they are to go', t => {
  for (const [line, ...paths] of [
    ['Then delete `src/old.py`.', 'src/old.py'],
    ['Remove the file src/old.py, since nothing needs it.', 'src/old.py'],
    ['- Delete the now unused `src/old.py` and `src/older.py`', 'src/old.py', 'src/older.py'],
    ['I also deleted **src/old.py** as it was empty', 'src/old.py'],
    ['`src/old.py` can now be deleted.', 'src/old.py'],
    ['`src/old.py` and `a.py` should be removed', 'src/old.py', 'a.py'],
    ['Rename `src/old.py` to `src/new.py`.', 'src/old.py'],
    ['Move src/old.py to src/lib/old.py and change the imports', 'src/old.py'],
    ['Lösche die Datei `src/old.py`.', 'src/old.py'],
    ['Удалите файл `src/old.py`.', 'src/old.py'],
    ['[Then] remove [`a.py`](a.py).', 'a.py'],
  ] as const) {
    t.same(deletionsIn(line), paths, line)
  }
  for (const line of [
    'Removed the unused import in `src/old.py`.',
    'Remove `src/old.py` imports from the test.',
    "Delete `src/old.py`'s last line",
    'Delete `load()` from `src/old.py`.',
    'If you do not need it, delete `src/old.py`.',
    'Do not delete `src/old.py`.',
    'On start, remove `state.json`.',
    'At exit the program deletes `state.json`.',
    '`load` was removed from `src/old.py`.',
    'This removes src/old.py from the list of ignored files',
    'It deletes `src/old.py` entries.',
    'Moves are slow.',
  ]) {
    t.same(deletionsIn(line), [], line)
  }
  t.end()
})

test('a file that is said to go and is there still is asked about', t => {
  const files = { 'src/app.py': APP, 'src/old.py': 'x = 1\n' }
  const diff = fenced(NAMES + HUNK)
  checkReplies(t, [
    ['nothing deletes it', `${diff}\nThen delete \`src/old.py\`.\n`, ['malformed'], files],
    ['by the end of its path', `${diff}\nThen delete \`old.py\`.\n`, ['malformed'], files],
    [
      'a diff does',
      `${diff}\nI removed \`src/old.py\`:\n\n${fenced('--- a/src/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n')}`,
      { 'src/app.py': SAVED, 'src/old.py': null },
      files,
    ],
    ['a command does not', `${diff}\n${fenced('rm src/old.py', 'bash')}`, ['malformed'], files],
    [
      'a command and a diff do',
      `${diff}\n${fenced('rm -f src/old.py', 'bash')}\n` +
        fenced('--- a/src/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n'),
      { 'src/app.py': SAVED, 'src/old.py': null },
      files,
    ],
    ['a list does not', `${diff}\n**Files to delete:**\n\n- \`src/old.py\` (no longer used)\n`, ['malformed'], files],
    ['a list below a heading does not', `${diff}\n### Removed files\n1. src/old.py\n`, ['malformed'], files],
    ['a list of other files', `${diff}\nFiles to keep:\n- src/old.py\n`, app(SAVED), files],
    ['it is kept', `${diff}\nThen delete \`src/old.py\`.\nKEPT src/old.py\n`, app(SAVED), files],
    ['there is no such file', `${diff}\nDelete \`src/none.py\`.\n`, app(SAVED), files],
    [
      'words in a block',
      `${diff}\nREADME.md\n${fenced('Then delete `src/old.py`.', 'md')}`,
      { 'src/app.py': SAVED, 'README.md': 'Then delete `src/old.py`.\n' },
      files,
    ],
  ])
  t.end()
})
