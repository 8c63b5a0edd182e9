import { test } from 'tap'
import { CodeFile } from '../../../src/resolver/context/code-file.ts'
import { Excerpt } from '../../../src/resolver/context/excerpt.ts'
import { printExcerpts } from '../../../src/resolver/context/print-excerpts.ts'
import { createRowTokens } from '../../../src/resolver/context/row-tokens.ts'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, readerOf, scope } from './build-from.ts'

test('a file that is a chunk as a whole names it', async t => {
  const reader = {
    ...readerOf({ 'a.py': { text: numbered(20) } }),
    chunksOf: () => [{ chunkIndex: 0, totalChunks: 1, startLine: 1, endLine: 20 }],
  }
  const { context, sources } = buildContext([ranked('a.py', { highlightedLines: [7] })], {
    reader,
    maxTokens: 1000,
    countTokens,
  })
  t.match(context, /^=== File: a\.py \[chunk 1\/1, lines 1-20\] \(stack trace lines: 7\) ===\n/)
  t.match(sources, [{ chunkIndex: 0, totalChunks: 1 }])
})

test('more than may be shown is never printed, whatever the lines were chosen by', async t => {
  const rows = createRowTokens(countTokens)
  const excerpts = ['a.py', 'b.py'].map((path, rank) => {
    const file = new CodeFile(ranked(path), rank, { text: numbered(20), scopes: [], count: rows })
    const excerpt = new Excerpt(file, { rows, countTokens })
    excerpt.show({ from: 1, to: 20 })
    return excerpt
  })
  const print = (maxTokens: number) => printExcerpts(excerpts, { maxTokens, score: () => 1 })
  const { contextTokens } = print(100_000)
  const less = print(contextTokens - 1)
  t.same(
    less.sources.map(({ path }) => path),
    ['a.py'],
  )
  t.notMatch(less.context, 'b.py')
  t.same(excerpts[1]?.runs(), [], 'nor is it taken for shown')
})

test('lines without one of the trace are named after the first function that begins in them', async t => {
  const rows = createRowTokens(countTokens)
  const scopes = [
    scope('Till', 1, 20, { kind: 'class' }),
    scope('total', 5, 9, { parent: 0 }),
    scope('count', 12, 16, { parent: 0 }),
  ]
  const symbolOf = (from: number, to: number): string | null | undefined => {
    const file = new CodeFile(ranked('a.py'), 0, { text: numbered(20), scopes, count: rows })
    const excerpt = new Excerpt(file, { rows, countTokens })
    excerpt.show({ from, to })
    return printExcerpts([excerpt], { maxTokens: 10_000, score: () => 1 }).sources[0]?.symbol
  }
  t.equal(symbolOf(1, 20), 'Till.total')
  t.equal(symbolOf(6, 8), 'Till.total', 'none begins there: the one around')
})
