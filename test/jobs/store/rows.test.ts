import { test } from 'tap'
import { COLUMNS, parse, parseObject, textOf, toJob } from '../../../src/jobs/store/rows.ts'

test('a column of JSON is NULL for nothing, and comes back as it was', async t => {
  t.equal(textOf(undefined), null)
  t.equal(textOf(null), null)
  t.same(parse(textOf({ a: [1, null] })), { a: [1, null] })
  t.equal(parse(null), null)
  t.same(parseObject('{"a":1}'), { a: 1 })
})

test('a row becomes the job that it holds', async t => {
  const row = {
    ...{ seq: 7n, id: 'i', type: 'clone', status: 'failed', project_name: null, key_name: 'ada', trust: 'trusted' },
    ...{ request_id: 'req_1' },
    ...{ retry_of: null, progress: null, request: null, asked: null, result: null, failure: null, budget: null },
    ...{ error: '{"code":"X","message":"x","step":null}', usage: '{"llmCalls":1}', redactions: 2, active_ms: 30 },
    ...{ last_step: 's', created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-02T00:00:00.000Z' },
  }
  t.same(COLUMNS.split(', ').sort(), Object.keys(row).sort())
  t.match(toJob(row), {
    seq: 7,
    keyName: 'ada',
    error: { code: 'X' },
    usage: { llmCalls: 1 },
    activeMs: 30,
    lastStep: 's',
    updatedAt: '2026-01-02T00:00:00.000Z',
  })
})
