import { Type } from 'typebox'
import { test } from 'tap'
import type { PreparedRequest } from '../../src/pipelines/pipeline.ts'
import { completeRetry } from '../../src/pipelines/retry.ts'

const request = (given: Partial<PreparedRequest>): PreparedRequest => ({
  type: 'improve',
  schema: Type.Object({}),
  complete: async body => ({ ...(body as object), completed: true }),
  ...given,
})

const retry = (requests: PreparedRequest[], input: object, overrides: object = {}) =>
  completeRetry(requests, { type: 'improve', input: { ...input }, overrides: { ...overrides }, validate: () => {} })

test('overrides take the place of fields; one of several ways to say a thing that of the others', async t => {
  const requests = [request({ oneOf: ['files', 'job_id'] })]
  const input = { prompt: 'a', job_id: 'j' }
  t.same(await retry(requests, input, { prompt: 'b' }), { prompt: 'b', job_id: 'j', completed: true })
  t.same(await retry(requests, input, { files: {} }), { prompt: 'a', files: {}, completed: true })
})

test('the kind of request is found by the type and the body of the job', async t => {
  const log = request({ isFor: input => 'log' in input, complete: async () => ({ kind: 'log' }) })
  const other = request({ complete: async () => ({ kind: 'other' }) })
  t.same(await retry([log, other], { log: 'x' }), { kind: 'log' })
  t.same(await retry([log, other], { prompt: 'x' }), { kind: 'other' })
  await t.rejects(retry([request({ type: 'fix' })], {}), { code: 'BAD_REQUEST' })
})

test('the whole body is validated, by the schema of its kind', async t => {
  const found = request({})
  const seen: unknown[] = []
  await completeRetry([found], {
    type: 'improve',
    input: { a: 1 },
    overrides: { b: 2 },
    validate: (schema, body) => seen.push([schema === found.schema, body]),
  })
  t.same(seen, [[true, { a: 1, b: 2 }]])
})
