import { test } from 'tap'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, readerOf } from './build-from.ts'

test('files of a million lines are cut into many pieces', async t => {
  // thousands of pieces: reading a file anew for each would take minutes
  const starts = Array.from({ length: 150 }, (_, index) => 999_980 - 2_000 * index)
  const files = Array.from({ length: 30 }, (_, index) =>
    ranked(`${index}.py`, {
      highlightedLines: [5, ...starts.map(line => line + 10)],
      ranges: starts.map(startLine => ({ startLine, endLine: startLine + 15, why: 'frame' })),
    }),
  )
  const text = numbered(10) + '\n'.repeat(1_000_000)
  const reader = readerOf(Object.fromEntries(files.map(({ path }) => [path, { text }])))
  const { context, contextTokens } = buildContext(files, { reader, maxTokens: 10_000, countTokens })
  t.equal(contextTokens, countTokens(context))
  t.match(context, /^>>> +5 \| line 5$/m)
})

test('nothing ranked, an empty file and one that is gone are an empty context', async t => {
  const empty = { context: '', contextTokens: 0, sources: [], dropped: [] }
  t.same(buildContext([], { reader: readerOf({}), maxTokens: 100, countTokens }), empty)
  t.same(
    buildContext([ranked('gone.py', { highlightedLines: [3] }), ranked('empty.py')], {
      reader: readerOf({ 'empty.py': { text: '' } }),
      maxTokens: 100,
      countTokens,
    }),
    empty,
  )
})
