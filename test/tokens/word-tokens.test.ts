import { test } from 'tap'
import { RankTable } from '../../src/tokens/rank-table.ts'
import { WordTokens } from '../../src/tokens/word-tokens.ts'

/** Counts over these tokens, the best rank first; every byte of ASCII is a token behind them. */
function counterOf(tokens: readonly string[]): (word: string) => number {
  const bytes = Array.from({ length: 128 }, (_, byte) => String.fromCharCode(byte))
  const list = [...tokens, ...bytes].map((token, rank) => `${Buffer.from(token).toString('base64')} ${rank}\n`)
  const words = new WordTokens(new RankTable(Buffer.from(list.join(''))))
  return word => {
    const around = Buffer.from(`(${word})`)
    return words.count(around, 1, around.length - 1)
  }
}

test('a token is one, whatever its length', async t => {
  const count = counterOf(['abc', 'x'.repeat(40)])
  for (const word of ['a', 'abc', 'x'.repeat(40)]) t.equal(count(word), 1, word)
})

test('pairs are merged by rank, the leftmost of equal ones first', async t => {
  const count = counterOf(['bc', 'ab', 'abc'])
  t.equal(count('abcd'), 2, 'bc first, which leaves no ab, then abc')
  t.equal(count('abab'), 2)
  const pairs = counterOf(['aa'])
  t.equal(pairs('aaa'), 2)
  t.equal(pairs('aaaaa'), 3)
})

test('a word is counted the same again, and so is a long one after a short one', async t => {
  const count = counterOf(['aa', 'aaaa'])
  for (let round = 0; round < 2; round++) {
    t.equal(count('aaaaaa'), 2)
    t.equal(count('a'.repeat(1000)), 250)
    t.equal(count('ba'), 2)
  }
})
