import { test } from 'tap'
import { rawText, replaceParts, seenText } from '../../../src/llm/redaction/seen-text.ts'

const ESC = '\u001b'

test('escapes, signs that are written out and what a log puts before a line are not seen, and come back', async t => {
  for (const [raw, seen] of [
    ['plain', 'plain'],
    [`${ESC}[31mred${ESC}[0m`, 'red'],
    ['\\u001b[31mred', 'red'],
    ['a\u200bb', 'ab'],
    ['a\\nb', 'a\nb'],
    ['a#012b', 'a\nb'],
    ['a%0Ab', 'a\nb'],
    ['a<br/>b', 'a\nb'],
    ['a\\tb', 'a b'],
    ['a&nbsp;b', 'a b'],
    ['&quot;a\\u0022', '"a"'],
    ['&apos;a\\u0027', "'a'"],
    ['a\\/b', 'a/b'],
    ['&lt;a&gt;&amp;', '<a>&'],
    ['> a\n>> b', 'a\nb'],
    ['+a\n++b', 'a\n++b'],
    ['web-1  | a', 'a'],
    ['[pod/web-1/app] a', 'a'],
    ['   12 | a', 'a'],
    ['> web-1 | +a', 'a'],
    [`${ESC}[31m>${ESC}[0m a`, 'a'],
  ] as const) {
    const found = seenText(raw)
    t.equal(found.text, seen, JSON.stringify(raw))
    t.equal(rawText(found), raw, `${JSON.stringify(raw)} comes back`)
  }
})

test('what is replaced takes with it what was hidden in it, and nothing else', async t => {
  const replaced = (raw: string, from: number, to: number): string =>
    rawText(replaceParts(seenText(raw), [{ from, to, by: 'X' }]))
  t.equal(replaced('a\\tb\\tc', 2, 3), 'a\\tX\\tc')
  t.equal(replaced('a\\tb\\tc', 1, 3), 'aX\\tc')
  t.equal(replaced('+a\n+b', 0, 1), '+X\n+b')
  t.equal(replaced('+a\n+b', 2, 3), '+a\n+X')
  t.equal(replaced('a\u200bb', 0, 2), 'X')
  t.equal(rawText(replaceParts(seenText('a\\tb'), [])), 'a\\tb')
})

test('a line that a hidden piece breaks stays broken when what is around it is replaced', async t => {
  const seen = { text: 'abcd', hidden: [{ at: 2, shown: 0, raw: '\n> ' }] }
  t.equal(rawText(seen), 'ab\n> cd')
  t.equal(rawText(replaceParts(seen, [{ from: 1, to: 3, by: 'X' }])), 'aX\n> d')
  t.equal(
    rawText(replaceParts({ ...seen, hidden: [{ at: 2, shown: 0, raw: '> ' }] }, [{ from: 1, to: 3, by: 'X' }])),
    'aXd',
  )
})
