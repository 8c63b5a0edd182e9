import { Type } from 'typebox'
import { test, type Test } from 'tap'
import type { JobContext } from '../../src/jobs/job-context.ts'
import type { PreparedRequest } from '../../src/pipelines/pipeline.ts'
import { buildApp } from '../helpers/build-app.ts'
import { eventually } from '../helpers/processes.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { completeRetry } from '../../src/pipelines/retry.ts'

const Body = Type.Object(
  {
    prompt: Type.String({ minLength: 1 }),
    files: Type.Optional(Type.Record(Type.String(), Type.String())),
    job_id: Type.Optional(Type.String()),
    style: Type.Optional(Type.Enum(['short', 'long'])),
    fail: Type.Optional(Type.Boolean()),
    hold: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

const KIND: PreparedRequest = {
  type: 'improve',
  schema: Body,
  oneOf: ['files', 'job_id'],
  complete: async body => ({ ...(body as object), completed: undefined }),
}

/** Jobs of three steps and a question; tells which steps began. */
async function app(t: Test) {
  const began: string[] = []
  const run = async ({ input, step, ask }: JobContext) => {
    const note = (name: string, work: (signal: AbortSignal) => Promise<unknown> = async () => name) =>
      step(name, signal => {
        began.push(name)
        return work(signal)
      })
    await note('read')
    const reply = await ask('which', { kind: 'clarification', question: 'Which?' })
    await note('edit', async signal => {
      if (input.fail === true) throw new Error('a bug')
      if (input.hold === true) {
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        })
      }
    })
    await note('check')
    return { style: input.style ?? null, reply, fields: Object.keys(input).sort() }
  }
  const built = await buildApp(t, {
    definitions: {
      improve: { ...scriptedJob(run), consumes: { read: ['files', 'job_id'] } },
    },
    requests: [KIND],
  })
  const { jobs } = built.services
  const make = async (input: object) => {
    const { id } = (await jobs.create('improve', { prompt: 'p', ...input })).job
    await jobs.settled(id, 10_000)
    return id
  }
  const answer = async (id: string) => {
    await jobs.reply(id, { answer: 'both' }, null)
    return jobs.settled(id, 10_000)
  }
  const retry = async (id: string, body?: object) => {
    began.length = 0
    const res = (await built.app.inject({ method: 'POST', url: `/jobs/${id}/retry?wait=60`, body })).json()
    return res
  }
  return { ...built, jobs, began, make, answer, retry }
}

test(
  'a retry from a step keeps the steps and replies before it and repeats that one and all after, of any ' +
    'type of job',
  async t => {
    const { began, make, answer, retry, jobs } = await app(t)
    const id = await make({ style: 'short' })
    t.match(await answer(id), { status: 'succeeded' })
    t.match(await retry(id, { from_step: 'edit', style: 'long' }), {
      status: 'succeeded',
      retry_of: id,
      result: { style: 'long', reply: { answer: 'both' } },
    })
    t.same(began, ['edit', 'check'])
    t.match(await retry(id, { from_step: 'check' }), { status: 'succeeded', result: { style: 'short' } })
    t.same(began, ['check'])
    t.match(
      await retry(id, { from_step: 'which' }),
      { status: 'waiting', request: { kind: 'clarification' } },
      'the question is asked again',
    )
    t.same(began, [])
    const all = await retry(id, { from_step: 'read' })
    t.match(all, { status: 'waiting' })
    t.same(began, ['read'])
    t.match(await retry(id), { status: 'waiting' })
    t.same((await jobs.get(all.id)).retryOf, id)
  },
)

test('a step that the job never got to is refused with the names of those that it has', async t => {
  const { make, answer, retry } = await app(t)
  const id = await make({ fail: true })
  t.match(await answer(id), { status: 'failed', error: { code: 'INTERNAL', step: 'edit' } })
  t.match(await retry(id, { from_step: 'edits' }), {
    status: 400,
    code: 'BAD_REQUEST',
    detail: 'The job never got to a step "edits".',
    fix: 'Its steps are: read, which, edit.',
  })
  t.match(await retry(id, { from_step: 'check' }), { code: 'BAD_REQUEST' })
  t.match(await retry(id, { from_step: '__proto__' }), { code: 'BAD_REQUEST' })
  t.match(await retry(id, { from_step: '' }), { code: 'VALIDATION_FAILED' })
  t.match(await retry(id, { from_step: 'edit', fail: false }), { status: 'succeeded' })
})

test(
  'overrides pass the schema of the type, and one of two fields that say the same takes the place of the ' + 'other',
  async t => {
    const { make, answer, retry } = await app(t)
    const id = await make({ files: { 'a.txt': 'a' } })
    await answer(id)
    for (const body of [{ style: 'huge' }, { prompt: '' }, { prompt: 5 }, { unknown: 1 }, { files: { 'a.txt': 1 } }]) {
      t.match(await retry(id, body), { status: 400, code: 'VALIDATION_FAILED', errors: [{}] }, JSON.stringify(body))
    }
    const other = await retry(id, { job_id: 'x' })
    t.match(await answer(other.id), { result: { fields: ['job_id', 'prompt'] } })
    t.match(await retry(id, { from_step: 'edit', job_id: 'x' }), {
      code: 'BAD_REQUEST',
      detail: /"read" is not run again, so files, job_id cannot be overridden/,
    })
  },
)

test('a job that was cancelled in a step, or while it waited, is retried from there', async t => {
  const { jobs, began, make, retry } = await app(t)
  const held = await make({ hold: true })
  await jobs.reply(held, { answer: 'both' }, null)
  t.ok(await eventually(() => began.includes('edit')))
  await jobs.cancel(held)
  t.match(await retry(held, { from_step: 'edit', hold: false }), {
    status: 'succeeded',
    result: { reply: { answer: 'both' } },
  })
  t.same(began, ['edit', 'check'])
  const waiting = await make({})
  await jobs.cancel(waiting)
  t.match(await retry(waiting, { from_step: 'which' }), { status: 'waiting' })
  t.same(began, [])
})

test('jobs that no request makes cannot be retried, one that has not ended neither', async t => {
  const { make, retry } = await app(t)
  const asked = { type: 'feature' as const, input: {}, overrides: {}, validate: () => {} }
  await t.rejects(completeRetry([], asked), { code: 'BAD_REQUEST', message: 'Jobs of type feature cannot be retried.' })
  t.match(await retry(await make({})), { status: 409, code: 'JOB_NOT_FINISHED' })
  t.match(await retry('nobody'), { status: 404, code: 'JOB_NOT_FOUND' })
})
