import { test } from 'tap'
import { isCodeLine, looksLikeCode } from '../../../src/edits/read/code-like.ts'
import { endsSection, nameInLabel, nameInRules } from '../../../src/edits/read/section-mark.ts'

test('a name stands in rules or behind a label', async t => {
  for (const line of [
    '=== src/a.py ===',
    '--- src/a.py ---',
    '# ==== FILE: src/a.py ====',
    '*** begin file src/a.py ***',
  ]) {
    t.equal(nameInRules(line), 'src/a.py', line)
  }
  for (const line of ['=== src/a.py', '== src/a.py ==', '=== Notes ===', '=== see src/a.py ===', '='.repeat(500), '']) {
    t.equal(nameInRules(line), null, line.slice(0, 20))
  }
  t.equal(nameInLabel('**File:** `src/a.py`'), 'src/a.py')
  t.equal(nameInLabel('File: the loader'), null)
  t.ok(endsSection('=== END OF FILE ==='))
  t.notOk(endsSection('=== src/end.py ==='))
})

test('code is told from prose', async t => {
  t.ok(looksLikeCode(['import os', '', 'x = 1']))
  t.notOk(looksLikeCode(['x = 1']))
  t.notOk(looksLikeCode(['The loader is wrong.', 'It opens a file twice, and so on.', 'x = 1']))
  t.notOk(isCodeLine('for the first time it works.'))
})
