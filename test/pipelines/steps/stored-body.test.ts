import { test } from 'tap'
import { readStoredBody } from '../../../src/pipelines/steps/stored-body.ts'

test('a stored body is the input that it was; one that lacks a text is refused', async t => {
  const needs = { type: 'fix' as const, url: '/fix', texts: ['stacktrace', 'project_name'] }
  const body = { stacktrace: 'x', project_name: 'shop', push: true }
  t.equal(readStoredBody(body, needs), body)
  t.throws(() => readStoredBody({ stacktrace: 'x' }, needs), {
    code: 'BAD_REQUEST',
    message: 'The stored body of this fix job is not complete.',
    fix: 'POST /fix again.',
  })
  t.throws(() => readStoredBody({ ...body, stacktrace: 1 }, needs), { code: 'BAD_REQUEST' })
})
