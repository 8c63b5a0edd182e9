import { test } from 'tap'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, readerOf } from './build-from.ts'

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
