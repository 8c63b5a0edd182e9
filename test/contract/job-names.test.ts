import { test } from 'tap'
import { JOB_STATUSES, JOB_TYPES } from '../../src/contract/job-names.ts'

test('types and statuses are as clients know them, each once', async t => {
  t.strictSame(JOB_STATUSES, ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'])
  t.equal(new Set(JOB_TYPES).size, JOB_TYPES.length)
  t.ok(JOB_TYPES.every(type => /^[a-z]+(?:_[a-z]+)*$/.test(type)))
})
