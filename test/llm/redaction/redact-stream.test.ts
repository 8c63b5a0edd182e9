import { test } from 'tap'
import { createRedactedStream } from '../../../src/llm/redaction/redact-stream.ts'
import { PLANTED } from '../../helpers/secrets.ts'

const LIMITS = { lineChars: 200, keyChars: 1_000 }

/** What comes out of a stream for these pieces, and what was held back until its end. */
function told(pieces: readonly string[]): { before: string; all: string } {
  const parts: string[] = []
  const stream = createRedactedStream(part => parts.push(part), LIMITS)
  for (const piece of pieces) stream.add(piece)
  const before = parts.join('')
  stream.end()
  return { before, all: parts.join('') }
}

test('a secret that comes in two pieces goes, wherever it was cut', async t => {
  for (const { kind, text, secrets } of PLANTED) {
    for (let cut = 1; cut < text.length; cut += 7) {
      const { all } = told([`before\n${text.slice(0, cut)}`, `${text.slice(cut)}\nafter\n`])
      t.equal(
        secrets.some(secret => all.includes(secret)),
        false,
        `${kind} ${cut}`,
      )
      t.match(all, /^before\n[^]*\nafter\n$/)
    }
  }
})

test('whole lines are told at once, the rest at the end', async t => {
  t.same(told(['one\ntwo\nthr', 'ee']), { before: 'one\ntwo\n', all: 'one\ntwo\nthree' })
  t.same(told([]), { before: '', all: '' })
})

test('a line or a key without an end is not held back for ever', async t => {
  t.equal(told(['x'.repeat(199)]).before, '')
  t.equal(told(['x'.repeat(200)]).before.length, 200)
  const begin = 'a\n-----BEGIN PRIVATE '.concat('KEY-----\n')
  t.equal(told([begin, 'word\n']).before, 'a\n')
  t.match(told([begin, 'word\n'.repeat(200)]).before, /word\n$/)
})
