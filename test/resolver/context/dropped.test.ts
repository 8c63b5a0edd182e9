import { test } from 'tap'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, readerOf } from './build-from.ts'

test('what points somewhere and is not shown is listed, with its reason, score and tokens', async t => {
  const files = [
    ranked('a.py', { highlightedLines: [200] }),
    ranked('b.py', {
      reason: 'lexical',
      why: 'holds words',
      score: 0.1,
      ranges: [{ startLine: 1, endLine: 300, why: 'holds words' }],
    }),
  ]
  const { sources, dropped } = buildContext(files, {
    reader: readerOf({ 'a.py': { text: numbered(400) }, 'b.py': { text: numbered(400) } }),
    maxTokens: 400,
    countTokens,
  })
  t.ok(
    dropped.length > 0 &&
      dropped.every(
        ({ path, reason, score, tokens }) =>
          path === 'b.py' && reason === 'lexical' && score > 0 && score < 1 && tokens > 0,
      ),
  )
  const covered = [...sources.filter(({ path }) => path === 'b.py'), ...dropped].reduce(
    (sum, { startLine, endLine }) => sum + endLine - startLine + 1,
    0,
  )
  t.ok(covered >= 300)
})
