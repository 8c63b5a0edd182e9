import { test } from 'tap'
import { fit } from '../../src/mcp/fit.ts'

/** A token a character. */
const cutToTokens = async (text: string, maxTokens: number) => ({
  text: text.slice(0, maxTokens),
  tokens: Math.min(text.length, maxTokens),
})

test('what fits stays as it is; of what does not the longest texts and lists are cut, and nothing else', async t => {
  const small = { id: 'a', list: [1, 2], none: null }
  t.same(await fit(small, 1000, { cutToTokens }), { value: small, tokens: JSON.stringify(small).length, isCut: false })
  const large = {
    id: 'a'.repeat(40),
    diff: 'x'.repeat(50_000),
    rows: Array.from({ length: 900 }, (_, at) => ({ at, text: 'short' })),
    deep: { none: null, is: true },
  }
  const { value, tokens, isCut } = await fit(large, 3_000, { cutToTokens })
  t.ok(isCut && tokens <= 3_000, String(tokens))
  t.match(value, { id: large.id, deep: large.deep, diff: /^x+… \[cut\]$/, rows: [{ at: 0, text: 'short' }] })
  const least = await fit(large, 10, { cutToTokens })
  t.ok(least.isCut && least.value.rows.length === 5 && least.value.id === large.id, 'what is short stays in any case')
  t.ok((await fit({ text: `${'x'.repeat(119)}😀${'x'.repeat(300)}` }, 150, { cutToTokens })).value.text.isWellFormed())
})
