import { test } from 'tap'
import { hashOf, RankTable } from '../../src/tokens/rank-table.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const listOf = (tokens: readonly string[]): Uint8Array =>
  bytesOf(tokens.map((token, rank) => `${Buffer.from(token).toString('base64')} ${rank}\n`).join(''))

test('every token is found by its bytes, and nothing else is', async t => {
  const tokens = ['a', 'b', 'ab', 'abc', 'é', ' the', '\0', '\0\0', '\0\0\0', ' '.repeat(128)]
  const table = new RankTable(listOf(tokens))
  for (const [rank, token] of tokens.entries()) {
    const bytes = bytesOf(`x${token}y`)
    t.equal(table.rankOf(bytes, 1, bytes.length - 1), rank, JSON.stringify(token))
  }
  for (const text of ['c', 'ba', 'abcd', 'abd', ' th', '\0\0\0\0', '']) {
    t.equal(table.rankOf(bytesOf(text), 0, text.length), -1, JSON.stringify(text))
  }
})

test('tokens whose hashes begin alike are told apart', async t => {
  const tokens = Array.from({ length: 3_000 }, (_, number) => `token ${number}`)
  const table = new RankTable(listOf(tokens))
  for (const [rank, token] of tokens.entries()) {
    const bytes = bytesOf(token)
    if (table.rankOfHashed(bytes, 0, bytes.length, hashOf(bytes, 0, bytes.length)) !== rank) t.fail(token)
  }
  t.equal(table.rankOf(bytesOf('token 3000'), 0, 10), -1)
})

test('what is no list of tokens is refused', async t => {
  for (const text of ['YQ== 1\n', 'YQ== 0\nYg== 2\n', '!! 0\n', 'YQ==', '<html>\n']) {
    t.throws(() => new RankTable(bytesOf(text)), /Line [12] of the list of tokens/, text)
  }
})
