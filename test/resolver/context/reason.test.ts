import { test } from 'tap'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, readerOf, scope } from './build-from.ts'

test('a file that was found shows where the evidence points, not its beginning', async t => {
  const file = ranked('found.py', {
    reason: 'similar',
    why: 'similar code',
    ranges: [{ startLine: 700, endLine: 720, why: 'the failing function looks like it' }],
  })
  const { sources, context } = buildContext([file], {
    reader: readerOf({ 'found.py': { text: numbered(2000), scopes: [scope('target', 700, 720)] } }),
    maxTokens: 220,
    countTokens,
  })
  t.match(context, /^=== File: found\.py \[lines 700-720\] \(found by similarity search\) ===\n/)
  t.match(sources, [
    {
      startLine: 700,
      endLine: 720,
      symbol: 'target',
      reason: 'similar',
      why: 'similar code; here: the failing function looks like it',
    },
  ])
})

test('a file to which nothing points shows its beginning', async t => {
  const { sources } = buildContext([ranked('found.py', { reason: 'related', why: 'imports it' })], {
    reader: readerOf({ 'found.py': { text: numbered(2000) } }),
    maxTokens: 300,
    countTokens,
  })
  t.equal(sources[0]?.startLine, 1)
  t.match(sources, [{ reason: 'related', why: 'imports it', symbol: null }])
})

test('that a file shares words with the trace is said once', async t => {
  const shares = 'shares rare words with the text and the failing code'
  const pointing = 'shares rare words with the failing code and its message'
  const whyOf = (why: string, range = pointing): string | undefined =>
    buildContext([ranked('a.py', { reason: 'lexical', why, ranges: [{ startLine: 1, endLine: 2, why: range }] })], {
      reader: readerOf({ 'a.py': { text: numbered(3) } }),
      maxTokens: 500,
      countTokens,
    }).sources[0]?.why
  t.equal(whyOf(`${shares}; shares words with the text`), shares)
  t.equal(whyOf(`imports app.py; ${shares}; shares words with the text`), `imports app.py; ${shares}`)
  t.equal(whyOf(shares, 'calls total'), `${shares}; here: calls total`)
  t.equal(whyOf('imports app.py'), `imports app.py; here: ${pointing}`)
  t.equal(
    whyOf(`${shares}; shares words with the text (by words only)`),
    `${shares}; shares words with the text (by words only)`,
  )
})
