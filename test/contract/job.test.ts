import { test } from 'tap'
import { JOB_STATUSES, JOB_TYPES } from '../../src/contract/job-names.ts'
import { JobsQuery, ReplyBodySchema, RetryBody } from '../../src/contract/job.ts'
import { fitsSchema } from '../helpers/fits-schema.ts'

test('jobs are listed by the types and states that there are', async t => {
  for (const type of JOB_TYPES) t.ok(fitsSchema(JobsQuery, { limit: 50, type }), type)
  for (const status of JOB_STATUSES) t.ok(fitsSchema(JobsQuery, { limit: 50, status }), status)
  t.notOk(fitsSchema(JobsQuery, { limit: 50, type: 'dance' }))
  t.notOk(fitsSchema(JobsQuery, { limit: 201 }))
})

test('a reply says what it can say; a retry may override any field, or nothing', async t => {
  t.ok(fitsSchema(ReplyBodySchema, { decision: 'approve' }))
  t.notOk(fitsSchema(ReplyBodySchema, { decision: 'perhaps' }))
  t.notOk(fitsSchema(ReplyBodySchema, { skip: false }))
  t.notOk(fitsSchema(ReplyBodySchema, { decision: 'approve', reason: 'x' }))
  t.ok(fitsSchema(RetryBody, { from_step: 'index', branch: 'main' }))
  t.notOk(fitsSchema(RetryBody, { from_step: '' }))
})
