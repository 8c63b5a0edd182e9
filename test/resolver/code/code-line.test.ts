import { test } from 'tap'
import { lineCount } from '../../../src/core/source-text.ts'
import { codePlace as placeIn, lineOf } from '../../../src/resolver/code/code-line.ts'
import { sourceLines } from '../../../src/resolver/code/source-lines.ts'

const lines = (count: number, changes: Record<number, string> = {}): string[] =>
  Array.from({ length: count }, (_, index) => changes[index + 1] ?? `  line ${index + 1}`)
const codePlace = (frame: Parameters<typeof placeIn>[0], all: readonly string[]): ReturnType<typeof placeIn> =>
  placeIn(frame, sourceLines(all.join('\n')))
const codeLine = (place: { line: number | null; sourceText: string | null }, all: string[]): number | null =>
  codePlace({ function: null, ...place }, all).line

test('without printed code the line counts where it exists', async t => {
  t.equal(codeLine({ line: 3, sourceText: null }, lines(3)), 3)
  t.equal(codeLine({ line: 4, sourceText: null }, lines(3)), null)
  t.equal(codeLine({ line: 0, sourceText: null }, lines(3)), null)
  t.equal(codeLine({ line: null, sourceText: 'x' }, lines(3)), null)
})

test('printed code is compared without its indentation', async t => {
  t.equal(codeLine({ line: 2, sourceText: 'line 2' }, lines(3)), 2)
})

test('code that moved is found near by when it stands there once', async t => {
  t.equal(codeLine({ line: 10, sourceText: 'call()' }, lines(300, { 120: '    call()' })), 120)
  t.equal(codeLine({ line: 10, sourceText: 'call()' }, lines(300, { 220: 'call()' })), null, 'more than 200 lines away')
  t.equal(codeLine({ line: 10, sourceText: 'call()' }, lines(300, { 12: 'call()', 40: 'call()' })), null, 'not unique')
  t.equal(codeLine({ line: 500, sourceText: 'call()' }, lines(300, { 290: 'call()' })), 290, 'the file became shorter')
  t.equal(codeLine({ line: 10, sourceText: 'gone()' }, lines(300)), null)
})

const SHOP = [
  'class Cart:',
  '    def total(self):',
  '        prices = self.prices()',
  '        return sum(prices)',
  '',
  '    def count(self):',
  '        return len(self.lines)',
  '',
  'class Till:',
  '    def total(self):',
  '        return 0',
  '',
  'def main():',
  '    total()',
]

test('a printed line outside of the printed function is stale: the function is marked', async t => {
  const place = (line: number | null, name: string | null, sourceText: string | null = null) =>
    codePlace({ line, function: name, sourceText }, SHOP)
  t.same(place(4, 'total'), { line: 4, by: 'line' })
  t.same(place(7, 'count'), { line: 7, by: 'line' })
  t.same(place(3, 'count'), { line: 6, by: 'function' })
  t.same(place(90, 'count'), { line: 6, by: 'function' }, 'past the end')
  t.same(place(null, 'count'), { line: 6, by: 'function' }, 'no line at all')
  t.same(place(14, 'Cart.total'), { line: 14, by: 'line' }, 'in doubt the line counts: the name stands there')
  t.same(place(7, 'Cart.total'), { line: 2, by: 'function' }, 'of several the one in the class')
  t.same(place(7, 'Till.total'), { line: 10, by: 'function' })
  t.same(place(null, 'total'), { line: null, by: null }, 'several and nothing to choose by')
  t.same(place(7, 'elsewhere'), { line: 7, by: 'line' }, 'a name that is not defined there proves nothing')
})

test('printed code that is gone leaves its function, and in its function no line', async t => {
  t.same(codePlace({ line: 3, function: 'count', sourceText: 'return size(self)' }, SHOP), { line: 6, by: 'function' })
  t.same(codePlace({ line: 7, function: 'count', sourceText: 'return size(self)' }, SHOP), { line: null, by: null })
  t.same(codePlace({ line: 1, function: 'count', sourceText: 'return len(self.lines)' }, SHOP), { line: 7, by: 'code' })
})

test('of equal lines the one in the function counts', async t => {
  const both = ['def a():', '    go()', 'def b():', '    go()']
  t.same(codePlace({ line: 1, function: 'b', sourceText: 'go()' }, both), { line: 4, by: 'code' })
})

test('V8 counts U+2028 and U+2029 as line ends, we do not', async t => {
  const text = 'a\u2028b\nc\u2029\nd\n'
  t.same(
    [1, 2, 3, 4, 5].map(line => lineOf(line, 'x.js', text)),
    [1, 1, 2, 2, 3],
  )
  t.equal(lineOf(3, 'x.py', text), 3)
  t.equal(lineOf(9, 'x.ts', text), 9)
})

test('lines are counted as editors do', async t => {
  t.same(['', 'a', 'a\n', 'a\nb', '\n'].map(lineCount), [0, 1, 1, 2, 1])
})

test('in a class of thousands of lines a stale line is no line of another method', async t => {
  const methods = Array.from({ length: 2000 }, (_, index) => [
    `    def method_${index}(self):`,
    `        return ${index}`,
    '',
  ]).flat()
  const all = ['class Compiler:', ...methods]
  t.same(codePlace({ line: 5003, sourceText: 'return self.gone()', function: 'method_3' }, all), {
    line: 11,
    by: 'function',
  })
  t.same(
    codePlace({ line: 5003, sourceText: null, function: 'Compiler' }, all),
    { line: 5003, by: 'line' },
    'the head of the class was read',
  )
})
