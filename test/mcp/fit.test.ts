import { test } from 'tap'
import { fit, fitBoth } from '../../src/mcp/fit.ts'

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
  t.ok(least.isCut && least.value.rows.length === 0 && least.value.id === large.id, 'what is short stays in any case')
  t.ok((await fit({ text: `${'x'.repeat(119)}😀${'x'.repeat(300)}` }, 150, { cutToTokens })).value.text.isWellFormed())
})

test('data and text share what they may have, and the notice names what came of it', async t => {
  const more = 'ask again'
  const value = { id: 'a', diff: 'x'.repeat(5_000) }
  const written = 'y'.repeat(5_000)
  const bothIn = (maxTokens: number) => fitBoth({ value, written, maxTokens, more }, { cutToTokens })
  const half = await bothIn(4_300)
  t.ok(half.tokens <= 4_000 && half.text.length >= 2_000, `${half.tokens}, ${half.text.length}`)
  t.equal(half.cut, 'Cut to 4300 tokens; ask again.')
  t.match(await bothIn(20_000), { value, text: written, cut: null })
  const short = await fitBoth({ value, written: 'short', maxTokens: 5_400, more }, { cutToTokens })
  t.match(short, { value, text: 'short', cut: null }, 'the one has what the other leaves')
  const names = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`name_${at}`, at]))
  const over = await fitBoth({ value: names, written, maxTokens: 1_000, more }, { cutToTokens })
  t.equal(over.text, '')
  t.equal(over.cut, `Cut as far as it goes, to about ${over.tokens + 300} tokens; ask again.`)
})
