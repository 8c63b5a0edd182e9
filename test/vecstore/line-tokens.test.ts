import { test } from 'tap'
import { countLineTokens } from '../../src/vecstore/line-tokens.ts'

test('each line is counted with its line end', async (t) => {
  const seen: string[] = []
  const counted = countLineTokens('a = 1\n\nlast', (text) => {
    seen.push(text)
    return text.length
  })
  t.same(seen, ['a = 1\n', '\n', 'last'])
  t.same([...counted], [6, 1, 4])
  t.equal(countLineTokens('', text => text.length).length, 0)
})

test('a line without end is counted in pieces, and a count that does not fit is the largest that does', async (t) => {
  let longest = 0
  const counted = countLineTokens('x'.repeat(100_000), (text) => {
    longest = Math.max(longest, text.length)
    return text.length
  })
  t.ok(longest <= 2_000)
  t.same([...counted], [65_535])
})
