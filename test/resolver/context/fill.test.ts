import { test } from 'tap'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, readerOf, scope } from './build-from.ts'

test('of files that likelier ones leave no room, each comes with an extract while some is left', async t => {
  const files = Array.from({ length: 6 }, (_, index) =>
    ranked(`f${index}.py`, {
      score: index === 0 ? 0.9 : 0.01,
      reason: 'lexical',
      why: 'shares words',
      ranges: [{ startLine: 1, endLine: 300, why: 'shares words' }],
    }),
  )
  const texts = Object.fromEntries(
    files.map(({ path }) => [
      path,
      { text: numbered(300), scopes: Array.from({ length: 50 }, (_, at) => scope(`s${at}`, at * 6 + 1, at * 6 + 6)) },
    ]),
  )
  const { sources } = buildContext(files, { reader: readerOf(texts), maxTokens: 2000, countTokens })
  t.ok(new Set(sources.map(({ path }) => path)).size >= 3)
  t.ok(
    sources.filter(({ path }) => path === 'f0.py').reduce((sum, { tokens }) => sum + tokens, 0) > 1200,
    'most of it shows the likeliest',
  )
})

test('lines of the trace in other files come before more of the first file', async t => {
  const files = ['a.py', 'b.py', 'c.py'].map((path, index) =>
    ranked(path, { highlightedLines: [200], score: [0.8, 0.1, 0.05][index] ?? 0 }),
  )
  const { sources } = buildContext(files, {
    reader: readerOf({
      'a.py': { text: numbered(400) },
      'b.py': { text: numbered(400) },
      'c.py': { text: numbered(400) },
    }),
    maxTokens: 800,
    countTokens,
  })
  t.same(
    sources.filter(({ highlightedLines }) => highlightedLines.includes(200)).map(({ path }) => path),
    ['a.py', 'b.py', 'c.py'],
  )
})

test('a thousand frames in one file, and budgets from one token to 150,000, are answered', async t => {
  const files = [
    ranked('big.py', {
      highlightedLines: Array.from({ length: 1000 }, (_, index) => 5000 - index * 4),
      ranges: Array.from({ length: 1000 }, (_, index) => ({
        startLine: Math.max(1, 4998 - index * 4),
        endLine: 5002 - index * 4,
        why: 'frame',
      })),
    }),
  ]
  const reader = readerOf({ 'big.py': { text: numbered(5000) } })
  for (const maxTokens of [1, 30, 60, 150_000]) {
    const { context, contextTokens, sources } = buildContext(files, { reader, maxTokens, countTokens })
    t.ok(contextTokens <= maxTokens && contextTokens === countTokens(context))
    if (maxTokens === 1) t.same(sources, [])
    if (maxTokens === 60) t.match(sources, [{ highlightedLines: [5000] }])
  }
})
