import { test } from 'tap'
import { createEstimate } from '../../../src/llm/client/estimate.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'

const prices = new Map([
  ['big', { input: 2, output: 100 }],
  ['other', { input: 4, output: 100 }],
])
const MESSAGES = [{ role: 'user' as const, content: 'PASSWORD=hunter22 is wrong' }]

test('an estimate has the messages as they would leave, their tokens, and what sending them costs', async t => {
  const estimate = createEstimate({ model: 'big', prices, countTokens })
  const content = 'PASSWORD=[redacted:password] is wrong'
  const tokens = countTokens(content) + 7
  t.same(estimate(MESSAGES), { messages: [{ role: 'user', content }], tokens, usd: (tokens * 2) / 1e6 })
  t.equal(estimate(MESSAGES, 'other').usd, (tokens * 4) / 1e6)
  t.equal(estimate(MESSAGES, 'free').usd, null)
})

test('without a model there is no price, and without messages nothing', async t => {
  const estimate = createEstimate({ model: null, prices, countTokens })
  t.equal(estimate(MESSAGES).usd, null)
  t.type(estimate(MESSAGES, 'big').usd, 'number')
  t.same(estimate([]), { messages: [], tokens: 0, usd: null })
})
