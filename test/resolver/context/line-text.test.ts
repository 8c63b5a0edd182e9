import { test } from 'tap'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { ranked, readerOf } from './build-from.ts'

test('controls that could hide code are shown, in names, too, and long lines are cut', async t => {
  const text = `x\u202Ey\u0007\n${'z'.repeat(600)}\n${'w'.repeat(1_000_000)}`
  const { context, contextTokens } = buildContext([ranked('a\nb.py', { highlightedLines: [1] })], {
    reader: readerOf({ 'a\nb.py': { text } }),
    maxTokens: 2000,
    countTokens,
  })
  t.match(context, /^=== File: a\\u000Ab\.py /)
  t.match(context, /\| x\\u202Ey\\u0007\n/)
  t.match(context, /z{500} … \(100 more characters\)\n/)
  t.match(context, /w{500} … \(999500 more characters\)$/)
  t.equal(contextTokens, countTokens(context))
})
