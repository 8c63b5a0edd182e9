import fc from 'fast-check'
import { test } from 'tap'
import { redact } from '../../src/llm/redaction/redact.ts'
import { REDACTION_PIECES } from '../helpers/redaction-pieces.ts'
import { runs, scaled, someOf } from '../helpers/property-runs.ts'

/** So long that a rule which looks on from every character would take half an hour; a pass takes half a second. */
const HUGE = scaled(2_000_000)
const LARGE = 240_000

function keepsItsLines(text: string): boolean {
  return redact(text).text.split('\n').length === text.split('\n').length
}

const grown = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length))

test('megabytes of any piece of a secret keep their lines', async t => {
  for (const piece of someOf(REDACTION_PIECES)) t.ok(keepsItsLines(grown(piece, HUGE)), JSON.stringify(piece))
})

test('so does any text that pieces of secrets are repeated in', async t => {
  const piece = fc.constantFrom(...REDACTION_PIECES)
  const unit = fc.array(piece, { minLength: 1, maxLength: 4 }).map(pieces => pieces.join(''))
  fc.assert(
    fc.property(fc.constantFrom('', ...REDACTION_PIECES), unit, (start, one) =>
      keepsItsLines(start + grown(one, LARGE)),
    ),
    { numRuns: runs(60) },
  )
  t.pass('60 texts were redacted')
})
