import { test } from 'tap'
import { wordEnd } from '../../src/tokens/o200k-words.ts'

function wordsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  const words: string[] = []
  for (let from = 0; from < bytes.length;) {
    const end = wordEnd(bytes, from, bytes.length)
    words.push(text.slice(from, end))
    from = end
  }
  return words
}

test('text is cut into letters with one character before them, digits by three, signs and white space', async t => {
  t.same(wordsOf('foo Bar'), ['foo', ' Bar'])
  t.same(wordsOf('HTTPServer fooBar'), ['HTTPServer', ' foo', 'Bar'])
  t.same(wordsOf('1234567'), ['123', '456', '7'])
  t.same(wordsOf(' {{\n'), [' {{\n'])
  t.same(wordsOf('a//b'), ['a', '//', 'b'])
  t.same(wordsOf('.name'), ['.name'])
})

test('the end of a contraction belongs to its word', async t => {
  t.same(wordsOf("don't we'LL x'y"), ["don't", " we'LL", ' x', "'y"])
  t.same(wordsOf("x'v"), ['x', "'v"])
})

test('the last blank is left to the word behind it, line ends end white space', async t => {
  t.same(wordsOf('a   b'), ['a', '  ', ' b'])
  t.same(wordsOf('a \n\n  b'), ['a', ' \n\n', ' ', ' b'])
  t.same(wordsOf('a  '), ['a', '  '])
})
