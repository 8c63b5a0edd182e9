import { test } from 'tap'
import { readFirstLine } from '../../../src/edits/join/first-line.ts'

test('the first line of a continuation goes on, repeats, or leaves it open', async t => {
  const goesOn = { goesOn: true, indent: null }
  t.same(readFirstLine('if x:\n    y()\nelse:\n', ['    z()'], 'python'), goesOn)
  t.same(readFirstLine('if x:\n    y()\nelse:\n', ['z()'], 'python'), { goesOn: true, indent: '    ' })
  t.same(readFirstLine('else:\n', ['else:'], 'python'), { repeats: true })
  t.same(readFirstLine('try {\n', ['try {'], 'js'), { repeats: true })
  t.same(readFirstLine('a:\n', ['b:'], 'yaml'), goesOn, 'a key without a value')
  t.same(readFirstLine('}\n', ['}'], 'js'), { unsure: true })
  t.same(readFirstLine('0\n0\n', ['0'], 'csv'), goesOn, 'it came twice before')
  t.same(readFirstLine('src/b.', ['src/b.py'], null), { unsure: true })
})
