import { test } from 'tap'
import { Bill } from '../../../src/llm/client/bill.ts'

test('a bill adds up requests, tokens and prices', async t => {
  const bill = new Bill(new Map([['m', { input: 3, output: 15 }]]))
  bill.request()
  bill.add('m', { promptTokens: 1_000_000, completionTokens: 100_000 })
  bill.request()
  bill.add('unpriced', { promptTokens: 5, completionTokens: 1 })
  t.same(bill.usage, { llmCalls: 2, promptTokens: 1_000_005, completionTokens: 100_001, usd: 4.5 })
})

test('without a price there is no sum, and many small costs lose nothing', async t => {
  const unpriced = new Bill(new Map())
  unpriced.add('m', { promptTokens: 5, completionTokens: 1 })
  t.equal(unpriced.usage.usd, null)
  const many = new Bill(new Map([['m', { input: 1, output: 1 }]]))
  for (let time = 0; time < 1000; time++) many.add('m', { promptTokens: 1, completionTokens: 0 })
  t.equal(many.usage.usd, 0.001)
})
