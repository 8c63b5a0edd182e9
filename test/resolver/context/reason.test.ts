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
