import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { done } from '../../src/core/audit.ts'
import type { JsonObject, TranscriptEntry } from '../../src/core/job.ts'
import type { ClaimedJob, JobStore, NewJob, StoredJob } from '../../src/jobs/store/job-store.ts'
import { packJson } from '../../src/jobs/store/packed-json.ts'
import { featureStoreContract } from './feature-store.ts'
import { notificationStoreContract } from './notification-store.ts'
import { TASK_LOG, taskStoreContract } from './task-store.ts'

/** Opens an empty store for one test, whose clock is `now`, and closes it in the test's teardown. */
type OpenJobStore = (t: Test, now: () => Date) => Promise<JobStore>

function usageOf(llmCalls: number) {
  return { llmCalls, promptTokens: 10 * llmCalls, completionTokens: llmCalls, usd: null }
}

const DAY_MS = 86_400_000
const ROOM = { limit: 100, retryAfterS: () => 7 }
const QUESTION = { asked: 'q', request: { kind: 'clarification', question: 'Which?' } } as const
const COMMAND: TranscriptEntry = { kind: 'model_error', model: 'm', code: 'X', message: 'x', usage: usageOf(1) }

function newJob(input: JsonObject = {}, more: Partial<NewJob> = {}): NewJob {
  const project = typeof input.project === 'string' ? input.project : null
  return { id: randomUUID(), type: 'task', input, projectName: project, exclusiveKey: null, keyName: null, ...more }
}

const fileOf = (path: string, sha256: string | null) => ({
  path,
  bytes: sha256 === null ? null : sha256.length,
  sha256,
})

/** What every implementation of JobStore must do. */
export function jobStoreContract(t: Test, open: OpenJobStore): void {
  const fact = (name: string, run: (t: Test, store: JobStore, clock: { now: Date }) => Promise<void>) =>
    t.test(name, async t => {
      const clock = { now: new Date('2026-01-01T00:00:00Z') }
      await run(t, await open(t, () => clock.now), clock)
    })
  const make = async (store: JobStore, ...job: Parameters<typeof newJob>): Promise<StoredJob> =>
    (await store.create(newJob(...job), ROOM)).job
  const begin = async (store: JobStore, { seq }: StoredJob): Promise<ClaimedJob> => {
    const run = await store.claim(seq)
    if (run === null) throw new Error('the job is not queued')
    return run
  }
  const makeRun = async (store: JobStore, ...job: Parameters<typeof newJob>): Promise<ClaimedJob> =>
    begin(store, await make(store, ...job))
  const runAndEnd = async (store: JobStore, job: StoredJob) =>
    store.endRun(await begin(store, job), 'succeeded', { result: 1 })
  const eventsOf = async (store: JobStore, { seq }: StoredJob) => store.events.list(seq, 0, -1)

  fact('a new job is queued, has its body and its first event, and is found by its id', async (t, store) => {
    const job = await make(
      store,
      { project: 'Shop', n: 1 },
      { keyName: 'ada', trust: 'untrusted', budget: { tokens: 5 } },
    )
    t.match(job, { status: 'queued', projectName: 'Shop', keyName: 'ada', trust: 'untrusted', budget: { tokens: 5 } })
    t.match(job, { createdAt: '2026-01-01T00:00:00.000Z', result: null, error: null, usage: usageOf(0) })
    t.same(await store.find(job.id), job)
    t.equal(await store.find(randomUUID()), null)
    t.same(await store.input(job.seq), { project: 'Shop', n: 1 })
    t.match(await eventsOf(store, job), [{ id: 1, event: 'status', data: { status: 'queued' } }])
  })

  fact('a body in place of another is all that is read, for this run and later ones', async (t, store) => {
    const sent = { log: 'a secret '.repeat(20_000), project: 'old' }
    const packed = { json: await packJson(Buffer.from(JSON.stringify(sent))), fields: ['log'] }
    const job = await make(store, sent, { packed })
    const run = await begin(store, job)
    for (const input of [
      { log: 'none '.repeat(20_000), project: 'new' },
      { log: 'short', project: 'newer' },
    ]) {
      await store.setInput(run, { input })
      t.same(await store.input(run.seq), input)
    }
  })

  fact('a body is read as it was given, also when it is large or was packed before', async (t, store) => {
    const large = { log: '✓ "x"\n'.repeat(50_000) }
    t.same(await store.input((await make(store, large)).seq), large)
    const sent = { log: 'long', project: 'OLD' }
    const packed = { json: await packJson(Buffer.from(JSON.stringify(sent))), fields: ['log'] }
    const job = await make(store, { log: 'not this one', project: 'new' }, { packed })
    t.same(await store.input(job.seq), { log: 'long', project: 'new' })
  })

  fact('a full queue takes no job, but answers an idempotency key that it knows', async (t, store) => {
    const idempotency = { key: 'k', scope: 's', bodySha256: 'aa' }
    const first = await store.create(newJob({}, { idempotency }), { ...ROOM, limit: 1 })
    const refused = store.create(newJob(), { ...ROOM, limit: 1 })
    await t.rejects(refused, { code: 'QUEUE_FULL', position: 2, retryAfterS: 7 })
    t.match(await store.create(newJob({}, { idempotency }), { ...ROOM, limit: 1 }), {
      replayed: true,
      job: { id: first.job.id },
    })
    t.equal((await store.list({}, 10, null)).length, 1)
  })

  fact(
    'what the disk has no room for is refused, but an idempotency key that is known is answered',
    async (t, store) => {
      const refusal = new FaultlineError('DISK_FULL', 'Full.')
      const idempotency = { key: 'k', scope: 's', bodySha256: 'aa' }
      const first = await store.create(newJob({}, { idempotency }), { ...ROOM, refusal: null })
      await t.rejects(store.create(newJob(), { ...ROOM, refusal }), refusal)
      t.match(await store.create(newJob({}, { idempotency }), { ...ROOM, refusal }), { job: { id: first.job.id } })
      t.equal((await store.list({}, 10, null)).length, 1)
    },
  )

  fact('an idempotency key holds for its scope, its body and a day', async (t, store, clock) => {
    const again = (more: Partial<NonNullable<NewJob['idempotency']>> = {}) =>
      store.create(newJob({}, { idempotency: { key: 'k', scope: 's', bodySha256: 'aa', ...more } }), ROOM)
    t.equal((await again()).replayed, false)
    t.equal((await again()).replayed, true)
    t.equal((await again({ scope: 'other' })).replayed, false)
    await t.rejects(again({ bodySha256: 'bb' }), { code: 'IDEMPOTENCY_KEY_REUSED' })
    clock.now = new Date('2026-01-01T23:59:59.999Z')
    await store.retention.forgetKeys()
    t.equal((await again()).replayed, true)
    clock.now = new Date('2026-01-02T00:00:00Z')
    t.equal((await again()).replayed, false)
  })

  fact('of all who claim a job one gets it', async (t, store) => {
    const { seq } = await make(store)
    const claims = await Promise.all([store.claim(seq), store.claim(seq), store.claim(seq)])
    t.equal(claims.filter(claim => claim !== null).length, 1)
    t.match(
      claims.find(claim => claim !== null),
      { seq, status: 'running' },
    )
    t.equal(await store.claim(999_999), null)
  })

  fact('only the first run of a job that takes nothing over knows that nothing is stored of it', async (t, store) => {
    const first = await makeRun(store)
    t.equal(first.isFresh, true)
    await store.endRun(first, 'queued')
    t.equal((await begin(store, first)).isFresh, false)
    t.equal((await makeRun(store, {}, { retryOf: first.id, kept: { from: first.seq, before: 1 } })).isFresh, false)
    const asking = await makeRun(store)
    await store.endRun(asking, 'waiting', { suspension: QUESTION })
    const waiting = { ...asking, asked: QUESTION.asked }
    await store.answer(waiting, { reply: { text: 'x' }, budget: null, note: 'answered', entries: [] })
    t.equal((await begin(store, asking)).isFresh, false)
  })

  fact('a change of state is written with its events, and only from the states that it is for', async (t, store) => {
    const job = await make(store)
    t.equal(await store.endRun({ seq: job.seq, attempt: 1 }, 'succeeded'), false)
    const run = await begin(store, job)
    const error = { code: 'X', message: 'broken', step: 's' }
    t.equal(await store.endRun(run, 'failed', { error, activeMs: 12.4, step: 's', note: 'n' }), true)
    t.match(await store.find(job.id), { status: 'failed', error, activeMs: 12, lastStep: 's' })
    t.equal(await store.endRun(run, 'succeeded'), false)
    t.equal(await store.cancel(job.seq), false)
    t.match(
      (await eventsOf(store, job)).map(({ id, event, data }) => ({ id, event, data })),
      [
        { id: 1, data: { status: 'queued' } },
        { id: 2, data: { status: 'running' } },
        { id: 3, event: 'status', data: { status: 'failed', message: 'n' } },
        { id: 4, event: 'done', data: { status: 'failed', error } },
      ],
    )
  })

  fact('what a run leaves unsaid of time and step stays as it was', async (t, store) => {
    const job = await makeRun(store)
    await store.endRun(job, 'queued', { activeMs: 50, step: 'first' })
    t.equal(await store.cancel(job.seq), true)
    t.match(await store.find(job.id), { status: 'cancelled', activeMs: 50, lastStep: 'first' })
  })

  fact('what a job has come to stays with its failure or cancel, and gives way to its result', async (t, store) => {
    for (const [to, result] of [
      ['failed', { attempts: 1 }],
      ['succeeded', { attempts: 2 }],
    ] as const) {
      const run = await makeRun(store)
      await store.setResult(run, { attempts: 1 })
      await store.endRun(run, to, to === 'succeeded' ? { result: { attempts: 2 } } : {})
      t.same((await store.find(run.id))?.result, result, to)
    }
    const cancelled = await makeRun(store)
    await store.setResult(cancelled, { attempts: 1 })
    await store.recover()
    await store.cancel(cancelled.seq)
    t.same((await store.find(cancelled.id))?.result, { attempts: 1 })
  })

  fact('processes that end over a job are counted until it comes on', async (t, store) => {
    const first = await makeRun(store)
    t.equal(first.losses, 0)
    await store.recover()
    const second = await begin(store, first)
    t.equal(second.losses, 1)
    await store.steps.begin(second, 'second')
    t.equal((await store.find(first.id))?.lastStep, 'second')
    await store.steps.finish(second, 'second', 2)
    t.equal(await store.lossesOf(second), 0, 'it finished a step')
    for (const losses of [1, 2]) {
      await store.recover()
      t.equal((await begin(store, first)).losses, losses)
    }
    await store.recover()
    const doubted = await begin(store, first)
    t.equal(doubted.losses, 2, 'the body of one that is held back had not begun')
    await store.setBegun(doubted, true)
    await store.recover()
    const last = await begin(store, first)
    t.equal(last.losses, 3)
    await store.endRun(last, 'failed')
    t.equal(await store.lossesOf(last), 0)
  })

  fact('a process that is meant to end, and a run that is put back, are no loss', async (t, store) => {
    const first = await makeRun(store)
    await store.setBegun(first, false)
    await store.recover()
    const second = await begin(store, first)
    t.equal(second.losses, 0)
    await store.recover()
    const third = await begin(store, first)
    await store.endRun(third, 'queued')
    await store.recover()
    t.equal((await begin(store, first)).losses, 1, 'nor does it forgive one')
    await store.endRun(await begin(store, await make(store)), 'waiting', { suspension: QUESTION })
  })

  fact('a run that was taken for dead changes nothing once the job was claimed again', async (t, store) => {
    const dead = await makeRun(store)
    await store.steps.finish(dead, 'first', 1)
    await store.recover()
    const next = await begin(store, dead)
    const before = [await store.find(dead.id), await eventsOf(store, dead)]
    for (const write of [
      () => store.steps.finish(dead, 'second', 2),
      () => store.events.progress(dead, { step: 's', done: 1, total: 2, message: 'm' }),
      () => store.events.text(dead, 'log', 'late'),
      () => store.events.suspects(dead, { id: 'res_1' }),
      () => store.transcript.add(dead, 's', COMMAND),
      () => store.texts.set(dead, 'diff', 'late'),
      () => store.files.put(dead, [fileOf('a', 'a1')]),
      () => store.files.dropUnfinished(dead),
      () => store.tasks.update(dead, { status: 'coding' }),
      () => store.tasks.log(dead, 'late', TASK_LOG).then(() => {}),
      () => store.setFailure(dead, { code: 'X', message: 'x', step: null }),
      () => store.setInput(dead, { input: { log: 'late' } }),
      () => store.setResult(dead, 9),
      () => store.setUsage(dead, { usage: usageOf(9), redactions: 9, activeMs: 9 }),
    ]) {
      await t.rejects(write(), /another run/)
    }
    t.equal(await store.endRun(dead, 'succeeded'), false)
    t.same([await store.find(dead.id), await eventsOf(store, dead)], before)
    t.same(await store.steps.output(dead.seq, 'second'), undefined)
    t.same([await store.transcript.all(dead.seq), await store.files.list(dead.seq)], [[], []])
    t.equal(await store.texts.get(dead.seq, 'diff'), null)
    await store.steps.finish(next, 'second', 2)
    t.equal(await store.endRun(next, 'succeeded'), true)
  })

  fact('a run that was cancelled may still keep what it made', async (t, store) => {
    const run = await makeRun(store)
    await store.cancel(run.seq, 'first')
    await store.files.put(run, [fileOf('a', 'a1')])
    t.same(await store.files.list(run.seq), [fileOf('a', 'a1')])
    t.equal(await store.endRun(run, 'succeeded'), false)
    t.match(await store.find(run.id), { status: 'cancelled', lastStep: 'first' })
  })

  fact('nothing comes after `done`: a run that was cancelled adds no event and finishes no step', async (t, store) => {
    const run = await makeRun(store)
    await store.cancel(run.seq, 'first')
    const before = [await store.find(run.id), await eventsOf(store, run)]
    await store.events.text(run, 'log', 'late')
    await store.events.suspects(run, { id: 'res_1' })
    await store.events.progress(run, { step: 's', done: 1, total: 2, message: 'm' })
    await t.rejects(store.steps.finish(run, 'first', 1), /does not run any more/)
    t.same([await store.find(run.id), await eventsOf(store, run)], before)
    t.equal(await store.steps.output(run.seq, 'first'), undefined)
  })

  fact('a question is answered once; the reply is a step, with what is said beside it', async (t, store) => {
    const job = await makeRun(store)
    await store.endRun(job, 'waiting', { suspension: QUESTION })
    const waiting = await store.find(job.id)
    t.match(waiting, { status: 'waiting', asked: 'q', request: QUESTION.request })
    t.match((await eventsOf(store, job)).at(-1), { event: 'request', data: { kind: 'clarification' } })
    const answer = { reply: { answer: 'red' }, budget: null, note: 'answered', entries: [COMMAND] }
    const answers = await Promise.all([1, 2].map(() => store.answer(waiting ?? job, answer)))
    t.same(answers.filter(Boolean), [true])
    t.match(await store.find(job.id), { status: 'queued', asked: null, request: null })
    t.same(await store.steps.output(job.seq, 'q'), { output: { answer: 'red' } })
    t.match(await store.transcript.all(job.seq), [{ step: 'q', entry: COMMAND }])
  })

  fact('an answer to an earlier question does not answer the next one', async (t, store) => {
    const job = await makeRun(store)
    await store.endRun(job, 'waiting', { suspension: QUESTION })
    const earlier = (await store.find(job.id)) ?? job
    const answer = { reply: 1, budget: null, note: '', entries: [] }
    await store.answer(earlier, answer)
    await store.endRun(await begin(store, job), 'waiting', { suspension: { ...QUESTION, asked: 'next' } })
    t.equal(await store.answer(earlier, answer), false)
    t.match(await store.find(job.id), { status: 'waiting', asked: 'next' })
  })

  fact('a raised budget takes the place of the old one and is no step', async (t, store) => {
    const job = await makeRun(store, {}, { budget: { tokens: 1 } })
    await store.endRun(job, 'waiting', { suspension: { ...QUESTION, asked: 'budget' } })
    const waiting = (await store.find(job.id)) ?? job
    await store.answer(waiting, { reply: 1, budget: { tokens: 9 }, note: '', entries: [] })
    t.same((await store.find(job.id))?.budget, { tokens: 9 })
    t.equal(await store.steps.output(job.seq, 'budget'), undefined)
  })

  fact('those that wait too long are found by how long they wait', async (t, store, clock) => {
    const job = await makeRun(store)
    await store.endRun(job, 'waiting', { suspension: QUESTION })
    t.same(await store.unanswered(1_000), [])
    clock.now = new Date('2026-01-03T00:00:00Z')
    t.same(await store.unanswered(2 * DAY_MS + 1), [])
    await store.setUsage(job, { usage: usageOf(1), redactions: 0, activeMs: 1 })
    t.match(await store.unanswered(2 * DAY_MS), [{ since: '2026-01-01T00:00:00.000Z', job: { id: job.id } }])
  })

  fact('steps are kept in the order in which they finished, each with an event', async (t, store) => {
    const job = await makeRun(store)
    for (const name of ['a', 'b', 'budget']) await store.steps.finish(job, name, { name })
    await store.steps.finish(job, 'nothing', undefined)
    await t.rejects(store.steps.finish(job, 'a', 1), 'no step finishes twice')
    t.same(await store.steps.output(job.seq, 'nothing'), { output: null })
    t.same(
      (await store.steps.all(job.seq)).map(({ name, position }) => [name, position]),
      [
        ['a', 1],
        ['b', 2],
        ['nothing', 4],
      ],
    )
    t.match((await eventsOf(store, job)).slice(2, 3), [{ event: 'step', data: { step: 'a', finished: true } }])
    t.equal((await eventsOf(store, job)).length, 6, 'the one that was refused has none')
  })

  fact('events are dense, in order, and given from any place', async (t, store) => {
    const job = await makeRun(store)
    await Promise.all(['a', 'b', 'c'].map(text => store.events.text(job, 'log', text, { stream: 'stdout' })))
    await store.events.progress(job, { step: 's', done: 1, total: 2, message: 'm' })
    t.same((await store.find(job.id))?.progress, { step: 's', done: 1, total: 2, message: 'm' })
    t.equal(await store.events.last(job.seq), 6)
    t.equal(await store.events.last(999_999), 0)
    t.same(
      (await store.events.list(job.seq, 2, 3)).map(({ id, data }) => [id, data.text]),
      [
        [3, 'a'],
        [4, 'b'],
        [5, 'c'],
      ],
    )
    t.match(await store.events.backlog(job.seq, 5), { events: 1, chars: /^\d+$/ })
    t.same(await store.events.backlog(job.seq, 6), { events: 0, chars: 0 })
  })

  fact('an entry of the transcript comes back as it was, however large', async (t, store) => {
    const job = await makeRun(store)
    const large = { ...COMMAND, message: '✗'.repeat(40_000) }
    for (const entry of [COMMAND, large]) await store.transcript.add(job, 's', entry)
    t.same(
      (await store.transcript.all(job.seq)).map(({ entry }) => entry),
      [COMMAND, large],
    )
  })

  fact('files change together; those of a step that was cut off are taken back', async (t, store) => {
    const run = await makeRun(store)
    const { seq } = run
    await store.files.put(run, [fileOf('b', 'b1'), fileOf('a', 'a1')])
    await store.texts.set(run, 'diff', 'one')
    await store.steps.finish(run, 'first', 1)
    await store.files.put(run, [fileOf('a', 'a22'), fileOf('b', null), fileOf('c', 'c1')])
    t.same(await store.files.list(seq), [fileOf('a', 'a22'), fileOf('c', 'c1')])
    t.same(await store.files.find(seq, 'a'), fileOf('a', 'a22'))
    t.equal(await store.files.find(seq, 'b'), null)
    t.same((await store.files.checksums(seq, 2)).sort(), ['a1', 'b1'])
    await store.files.dropUnfinished(run)
    t.same(await store.files.list(seq), [fileOf('a', 'a1'), fileOf('b', 'b1')])
    await store.texts.set(run, 'diff', 'two')
    t.equal(await store.texts.get(seq, 'diff'), 'two')
    t.equal(await store.texts.get(seq, 'patch'), null)
  })

  fact(
    'a retry takes over steps, files and texts from before a step, and nothing of a job that is gone',
    async (t, store) => {
      const from = await makeRun(store)
      for (const [step, sha256] of [
        ['first', 'aa'],
        ['second', 'bbb'],
      ] as const) {
        await store.files.put(from, [fileOf('f', sha256)])
        await store.texts.set(from, 'diff', step)
        await store.steps.finish(from, step, step)
      }
      const { seq } = await make(store, {}, { retryOf: from.id, kept: { from: from.seq, before: 2 } })
      t.same(await store.steps.all(seq), [{ name: 'first', position: 1, output: 'first' }])
      t.same(await store.files.list(seq), [fileOf('f', 'aa')])
      t.equal(await store.texts.get(seq, 'diff'), 'first')
      await store.retention.remove([from.seq])
      await t.rejects(make(store, {}, { kept: { from: from.seq, before: 2 } }), { code: 'JOB_NOT_FOUND' })
      t.equal((await store.list({}, 10, null)).length, 1, 'the refused one is not there')
    },
  )

  fact('the queue shows its heads, all of it, and that it changed', async (t, store) => {
    const key = { exclusiveKey: 'k' }
    const jobs: StoredJob[] = []
    for (const [project, more] of [
      ['A', {}],
      ['A', {}],
      ['A', key],
      ['B', key],
      ['A', key],
    ] as const) {
      jobs.push(await make(store, { project }, more))
    }
    const at = (...places: number[]) => places.map(place => jobs[place]?.seq ?? 0)
    t.same(
      (await store.queueHeads()).map(({ seq }) => seq).sort((a, b) => a - b),
      at(0, 2, 3),
    )
    t.same(
      (await store.queued()).map(({ seq }) => seq),
      at(0, 1, 2, 3, 4),
    )
    const version = await store.queueVersion()
    await store.queued()
    t.equal(await store.queueVersion(), version)
    await store.claim(at(0)[0] ?? 0)
    t.not(await store.queueVersion(), version)
    t.same(
      (await store.queueHeads()).map(({ seq }) => seq).sort((a, b) => a - b),
      at(1, 2, 3),
    )
  })

  fact('a project and a key are busy from the first to the last of their jobs', async (t, store) => {
    const job = await make(store, { project: 'Shop' }, { exclusiveKey: 'project:shop' })
    const busy = async () => [await store.isProjectBusy('SHOP'), await store.isActive('project:shop')]
    t.same(await busy(), [true, true])
    await store.endRun(await begin(store, job), 'waiting', { suspension: QUESTION })
    t.same(await busy(), [true, true])
    await store.cancel(job.seq)
    t.same(await busy(), [false, false])
    t.same(await store.counts(), [{ type: 'task', status: 'cancelled', jobs: 1 }])
  })

  fact(
    'jobs are listed and counted for who sees some projects, and of no project those of one key',
    async (t, store) => {
      const jobs = [
        await make(store, { project: 'Shop' }, { keyName: 'ben' }),
        await make(store, { project: 'api' }, { keyName: 'ada' }),
        await make(store, {}, { keyName: 'ada' }),
        await make(store, {}, { keyName: 'ben' }),
        await make(store, {}),
      ]
      const seen = async (projects: string[], keyName: string | null) => {
        const visibleTo = { projects, keyName }
        const listed = await store.list({ visibleTo }, 10, null)
        const count = (await store.counts(visibleTo)).reduce((sum, one) => sum + one.jobs, 0)
        t.equal(count, listed.length)
        return listed.map(({ seq }) => jobs.findIndex(job => job.seq === seq))
      }
      t.same(await seen(['shop'], 'ada'), [2, 0])
      t.same(await seen(['shop', 'api'], 'ben'), [3, 1, 0])
      t.same(await seen([], null), [], 'what nobody made belongs to nobody')
      t.equal((await store.list({ visibleTo: null }, 10, null)).length, 5)
    },
  )

  fact('what is done to a job stands in the audit log with it, and what was refused does not', async (t, store) => {
    const ada = { keyName: 'ada', requestId: 'req_1' }
    const of = (action: string) => done(ada, { action, projectName: 'Shop', target: action })
    const actions = async () => (await store.audit.list({}, 50, null)).map(({ action }) => action)
    const job = await make(store, { project: 'Shop' }, { ...ada, audit: [of('run.task')] })
    t.match(job, { keyName: 'ada', requestId: 'req_1' })
    await t.rejects(store.create(newJob({}, { audit: [of('refused')] }), { ...ROOM, limit: 1 }), { code: 'QUEUE_FULL' })
    await store.endRun(await begin(store, job), 'waiting', { suspension: QUESTION })
    const answer = { reply: 'x', budget: null, note: 'answered', entries: [] }
    const waiting = await store.find(job.id)
    if (waiting === null) throw new Error('the job is gone')
    await store.answer(waiting, { ...answer, audit: of('reply.answer') })
    await store.answer(waiting, { ...answer, audit: of('too late') })
    await store.cancel(job.seq, null, of('job.cancel'))
    await store.cancel(job.seq, null, of('again'))
    await store.retention.remove([job.seq], of('job.delete'))
    t.same(await actions(), ['job.delete', 'job.cancel', 'reply.answer', 'run.task'])
  })

  fact('the ended jobs of a project are purged with their idempotency keys', async (t, store) => {
    const idempotency = { key: 'k', scope: 's', bodySha256: 'x' }
    const ended = await make(store, { project: 'Shop' }, { idempotency })
    const other = await make(store, { project: 'api' })
    for (const job of [ended, other]) await runAndEnd(store, job)
    await make(store, { project: 'shop' })
    const found = await store.retention.endedOf('SHOP', 10)
    t.same(found, [{ seq: ended.seq, id: ended.id }])
    await store.retention.purge(found)
    t.equal(await store.find(ended.id), null)
    t.equal(
      (await store.create(newJob({}, { idempotency: { ...idempotency, bodySha256: 'y' } }), ROOM)).replayed,
      false,
    )
    t.not(await store.find(other.id), null)
  })

  fact('a list is filtered and goes on from where it ended, newest first', async (t, store) => {
    const jobs: StoredJob[] = []
    for (const project of ['Even', 'odd', 'EVEN']) jobs.push(await make(store, { project }))
    await store.claim(jobs[0]?.seq ?? 0)
    const seqs = async (...query: Parameters<JobStore['list']>) => (await store.list(...query)).map(({ seq }) => seq)
    const [first, second, third] = jobs.map(({ seq }) => seq)
    t.same(await seqs({}, 2, null), [third, second])
    t.same(await seqs({}, 2, second ?? 0), [first])
    t.same(await seqs({ projectName: 'even' }, 10, null), [third, first])
    t.same(await seqs({ status: 'running' }, 10, null), [first])
    t.same(await seqs({ type: 'clone' }, 10, null), [])
  })

  fact('jobs of a dead process go back into the queue; how one was going to fail stays known', async (t, store) => {
    const [running, queued] = [await makeRun(store), await make(store)]
    const failure = { code: 'X', message: 'x', step: null }
    await store.setFailure(running, failure)
    await store.recover()
    t.match(await store.find(running.id), { status: 'queued', failure })
    t.same(
      (await store.queued()).map(({ seq }) => seq),
      [running.seq, queued.seq],
    )
    t.match((await eventsOf(store, running)).at(-1), {
      data: { message: /restarted; finished steps are not repeated/ },
    })
    t.equal((await eventsOf(store, queued)).length, 1)
  })

  fact('ended jobs are forgotten with all that is stored of them, the others stay', async (t, store, clock) => {
    const [old, young] = [await makeRun(store), await make(store)]
    await makeRun(store)
    await store.steps.finish(old, 's', 1)
    await store.files.put(old, [{ path: 'f', bytes: 1_000_000, sha256: 'aa' }])
    await store.endRun(old, 'succeeded', { result: 1 })
    clock.now = new Date('2026-01-05T00:00:00Z')
    await runAndEnd(store, young)
    const seqs = (keys: Array<{ seq: number }>) => keys.map(({ seq }) => seq)
    t.same(seqs(await store.retention.endedFor(4 * DAY_MS, 9)), [])
    t.same(seqs(await store.retention.endedFor(4 * DAY_MS - 1, 9)), [old.seq])
    t.same(seqs(await store.retention.oldestEnded(1)), [old.seq])
    t.same(seqs(await store.retention.oldestEnded(9)), [old.seq, young.seq])
    const before = await store.retention.usedBytes()
    await store.retention.remove([old.seq])
    t.ok(before - (await store.retention.usedBytes()) >= 1_000_000)
    t.equal(await store.find(old.id), null)
    t.same(await eventsOf(store, old), [])
    t.equal(await store.steps.output(old.seq, 's'), undefined)
    t.ok(await store.find(young.id))
  })

  fact('what a job spent is kept', async (t, store) => {
    const job = await makeRun(store)
    await store.setUsage(job, { usage: usageOf(3), redactions: 2, activeMs: 99.6 })
    t.match(await store.find(job.id), { usage: usageOf(3), redactions: 2, activeMs: 100 })
  })

  taskStoreContract(t, open)
  featureStoreContract(t, open)
  notificationStoreContract(t, open)
}
