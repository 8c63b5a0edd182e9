import { test } from 'tap'
import { JOB_STATUSES } from '../../src/contract/job-names.ts'
import { isTerminal, sumUsage } from '../../src/core/job.ts'

test('a job has ended for good when it succeeded, failed or was cancelled', async t => {
  t.same(JOB_STATUSES.filter(isTerminal), ['succeeded', 'failed', 'cancelled'])
})

test('what calls cost is added up; a price is unknown only while none is known', async t => {
  const call = { llmCalls: 1, promptTokens: 10, completionTokens: 5, usd: 0.25 }
  const free = { ...call, usd: null }
  t.same(sumUsage(call, call), { llmCalls: 2, promptTokens: 20, completionTokens: 10, usd: 0.5 })
  t.equal(sumUsage(call, free).usd, 0.25)
  t.equal(sumUsage(free, call).usd, 0.25)
  t.equal(sumUsage(free, free).usd, null)
})
