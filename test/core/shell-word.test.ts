import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { test } from 'tap'
import { shellWord } from '../../src/core/shell-word.ts'

test('a shell reads a word as it was, whatever it holds', async t => {
  const texts = ["it's", '$HOME `id` "x" \\', '', '*\n?', '-n']
  const read = (word: string) => execFileSync('bash', ['-c', `printf %s ${shellWord(word)}x`]).toString()
  for (const text of texts) t.equal(read(text), `${text}x`)
  fc.assert(
    fc.property(
      fc.string({ maxLength: 20 }),
      text => fc.pre(!text.includes('\0')) === undefined && read(text) === `${text}x`,
    ),
    { numRuns: 20 },
  )
})
