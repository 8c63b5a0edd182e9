import { test } from 'tap'
import { codeLine, functionName, hasWord, lineCount } from '../../src/resolver/code-line.ts'

const lines = (count: number, changes: Record<number, string> = {}): string[] => Array.from({ length: count }, (_, index) => changes[index + 1] ?? `  line ${index + 1}`)

test('without printed code the line counts where it exists', async (t) => {
  t.equal(codeLine({ line: 3, sourceText: null }, lines(3)), 3)
  t.equal(codeLine({ line: 4, sourceText: null }, lines(3)), null)
  t.equal(codeLine({ line: 0, sourceText: null }, lines(3)), null)
  t.equal(codeLine({ line: null, sourceText: 'x' }, lines(3)), null)
})

test('printed code is compared without its indentation', async (t) => {
  t.equal(codeLine({ line: 2, sourceText: 'line 2' }, lines(3)), 2)
})

test('code that moved is found near by when it stands there once', async (t) => {
  t.equal(codeLine({ line: 10, sourceText: 'call()' }, lines(300, { 120: '    call()' })), 120)
  t.equal(codeLine({ line: 10, sourceText: 'call()' }, lines(300, { 220: 'call()' })), null, 'more than 200 lines away')
  t.equal(codeLine({ line: 10, sourceText: 'call()' }, lines(300, { 12: 'call()', 40: 'call()' })), null, 'not unique')
  t.equal(codeLine({ line: 500, sourceText: 'call()' }, lines(300, { 290: 'call()' })), 290, 'the file became shorter')
  t.equal(codeLine({ line: 10, sourceText: 'gone()' }, lines(300)), null)
})

test('the name of a function is what its definition spells', async (t) => {
  for (const [printed, name] of [['total', 'total'], ['Object.total', 'total'], ['new Till', 'Till'], ['Shop.sell [as trade]', 'sell'], ['<module>', null], ['<lambda>', null], ['Object.<anonymous>', null], ['eval', null], [null, null], ['Cart.total.<locals>.add', 'add'], ['größe', 'größe']] as const) {
    t.equal(functionName(printed), name, String(printed))
  }
})

test('a word is found as a word, literally', async (t) => {
  t.equal(hasWord('def total(x):', 'total'), true)
  t.equal(hasWord('subtotal(totals)', 'total'), false)
  t.equal(hasWord('subtotal total', 'total'), true)
  t.equal(hasWord('a.c', 'a+c'), false)
})

test('lines are counted as editors do', async (t) => {
  t.same(['', 'a', 'a\n', 'a\nb', '\n'].map(lineCount), [0, 1, 1, 2, 1])
})
