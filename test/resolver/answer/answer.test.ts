import { test } from 'tap'
import { readAnswer } from '../../../src/resolver/answer/answer.ts'

test('three headed sections become explanation and fix, in any language', async t => {
  for (const [cause, fix, code] of [
    ['Cause', 'Fix', 'Corrected code'],
    ['Причина', 'Исправление', 'Исправленный код'],
  ]) {
    const { explanation, fix: repair } = readAnswer(
      `## ${cause}\n\nIt divides by zero.\n\n## ${fix}\n\nCheck first.\n\n## ${code}\n\n\`\`\`python\n` +
        '# comment\n## not a heading\nx = 1\n```\n',
    )
    t.equal(explanation, 'It divides by zero.')
    t.equal(repair, 'Check first.\n\n```python\n# comment\n## not a heading\nx = 1\n```')
  }
})

test('a title above the sections is none of them', async t => {
  t.match(readAnswer('# Analysis\n\n## Cause\nA\n## Fix\nB\n## Code\nC'), { explanation: 'A', fix: 'B\n\nC' })
})

test('without headings all of it is the explanation', async t => {
  t.match(readAnswer(' It is **None**. \n'), { text: ' It is **None**. \n', explanation: 'It is **None**.', fix: '' })
  t.match(readAnswer(''), { explanation: '', fix: '' })
})

test('a line that looks like a heading ends no part inside of a fence, whatever the fence is made of', async t => {
  for (const fence of ['```', '~~~', '````']) {
    const code = `${fence}md\n## inside\n# x\n${fence}`
    t.match(
      readAnswer(`## Cause\n${code}\nafter\n## Fix\n${code}\nmore\n## Code\nC`),
      { explanation: `${code}\nafter`, fix: `${code}\nmore\n\nC` },
      fence,
    )
  }
})
