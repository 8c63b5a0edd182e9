import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { NOBODY, done } from '../../../../src/core/audit.ts'
import { FaultlineError } from '../../../../src/core/errors.ts'
import type { TranscriptEntry } from '../../../../src/core/job.ts'
import type { ClaimedJob, NewJob, QueueHead } from '../../../../src/jobs/store/job-store.ts'
import type { HandOut } from '../../../../src/jobs/store/postgres/hand-out.ts'
import { PostgresJobStore } from '../../../../src/jobs/store/postgres/postgres-job-store.ts'
import type { Database, Queryable } from '../../../../src/postgres/database.ts'
import { TASK_LOG } from '../../../contracts/task-store.ts'
import { overPostgres } from '../../../helpers/postgres.ts'
import { runs } from '../../../helpers/property-runs.ts'

const ROOM = { limit: 1_000, retryAfterS: () => 1 }
const USAGE = { llmCalls: 1, promptTokens: 1, completionTokens: 1, usd: null }
const ENTRY: TranscriptEntry = { kind: 'model_error', model: 'm', code: 'X', message: 'x', usage: USAGE }
const QUESTION = { asked: 'q', request: { kind: 'clarification', question: 'Which?' } } as const

const newJob = (more: Partial<NewJob> = {}): NewJob => ({
  id: randomUUID(),
  type: 'task',
  input: {},
  projectName: 'shop',
  exclusiveKey: null,
  keyName: null,
  ...more,
})
const task = { description: 'd', projectName: 'shop', repository: 'shop', repoPath: null, maxAttempts: 1 }
const away = () => new FaultlineError('DATABASE_UNAVAILABLE', 'The answer was lost.')

async function claimed(store: PostgresJobStore, seq: number, lost = false): Promise<ClaimedJob> {
  const run = await store.claim(seq, { lost })
  if (run === null) throw new Error('the job is not queued')
  return run
}

const makeRun = async (store: PostgresJobStore, more: Partial<NewJob> = {}): Promise<ClaimedJob> =>
  claimed(store, (await store.create(newJob(more), ROOM)).job.seq)

const BRANCH = { projectName: 'shop', repository: 'shop', branch: 'b', baseBranch: 'main', baseCommit: null }
const AUDIT = { action: 'reply.answer', projectName: 'shop', target: 'x' }

/** Every kind of write of a run, by name; each changes something that `stateOf` shows. */
const WRITES: Record<string, (store: PostgresJobStore, run: ClaimedJob) => Promise<unknown>> = {
  step: (store, run) => store.steps.finish(run, 'late', 2),
  progress: (store, run) => store.events.progress(run, { step: 's', done: 1, total: 2, message: 'm' }),
  text: (store, run) => store.events.text(run, 'log', 'late'),
  suspects: (store, run) => store.events.suspects(run, { id: 'res_1' }),
  transcript: (store, run) => store.transcript.add(run, 's', ENTRY),
  diff: (store, run) => store.texts.set(run, 'diff', 'late'),
  files: (store, run) => store.files.put(run, [{ path: 'a', bytes: 1, sha256: 'a1' }]),
  task: (store, run) => store.tasks.update(run, { status: 'coding', attempt: 1 }),
  log: (store, run) => store.tasks.log(run, 'late', TASK_LOG),
  branch: (store, run) => store.features.claim(run, { ...BRANCH, jobId: run.id }),
  failure: (store, run) => store.setFailure(run, { code: 'X', message: 'x', step: null }),
  input: (store, run) => store.setInput(run, { input: { log: 'late' } }),
  result: (store, run) => store.setResult(run, 9),
  usage: (store, run) => store.setUsage(run, { usage: USAGE, redactions: 9, activeMs: 9 }),
}

/** All that is stored of a job, but when it changed. */
async function stateOf(store: PostgresJobStore, { id, seq }: ClaimedJob) {
  const number = await store.tasks.numberOf(seq)
  return {
    job: { ...(await store.find(id)), updatedAt: null },
    input: await store.input(seq),
    events: await store.events.list(seq, 0, -1),
    steps: await store.steps.all(seq),
    transcript: await store.transcript.all(seq),
    diff: await store.texts.get(seq, 'diff'),
    files: await store.files.list(seq),
    task: number === null ? null : await store.tasks.find(number),
    logs: number === null ? null : await store.tasks.logs(number),
    branch: await store.features.find(id),
  }
}

/** The database, which loses its answers to changes of jobs `times` times; `late` sends those statements once more. */
function losingAnswers(db: Database, times: number): { db: Database; late: () => Promise<void>; lost: () => number } {
  const left = new Map<string, number>()
  const sent: Array<[string, readonly unknown[] | undefined]> = []
  const query: Queryable['query'] = async (text, values) => {
    const result = await db.query(text, values)
    const key = text + JSON.stringify(values)
    const before = left.get(key) ?? 0
    if (!/^WITH fence AS/.test(text) || before >= times) return result
    left.set(key, before + 1)
    sent.push([text, values])
    throw away()
  }
  return {
    db: { ...db, query },
    async late() {
      for (const [text, values] of sent) await db.query(text, values)
    },
    lost: () => sent.length,
  }
}

overPostgres(t, (t, openEmpty) => {
  t.test('of two processes that claim a job at once one gets it', async t => {
    const db = await openEmpty()
    const stores = [new PostgresJobStore(db), new PostgresJobStore(db)]
    for (let round = 0; round < 20; round++) {
      const { job } = await (stores[0] ?? new PostgresJobStore(db)).create(newJob(), ROOM)
      const claims = await Promise.all(stores.map(store => store.claim(job.seq)))
      t.equal(claims.filter(claim => claim !== null).length, 1)
    }
  })

  t.test('a zombie changes nothing: the job was claimed by another process since its own was lost', async t => {
    const db = await openEmpty()
    const [first, second] = [new PostgresJobStore(db), new PostgresJobStore(db)]
    const zombie = await makeRun(first, { task })
    await first.steps.finish(zombie, 'before', 1)
    t.equal(await second.claim(zombie.seq), null, 'it runs, as far as anybody knows')
    const next = await claimed(second, zombie.seq, true)
    t.ok(next.attempt > zombie.attempt)
    t.match(
      (await second.events.list(zombie.seq, 3, -1)).map(({ event, data }) => ({ event, data })),
      [
        { event: 'status', data: { status: 'queued', message: /restarted/ } },
        { event: 'status', data: { status: 'running' } },
      ],
    )
    const during = await stateOf(second, next)
    for (const [name, write] of Object.entries(WRITES)) await t.rejects(write(first, zombie), /another run/, name)
    t.equal(await first.endRun(zombie, 'succeeded', { result: 1 }), false)
    t.same(await stateOf(second, next), during)
    t.equal(await second.endRun(next, 'failed', { error: { code: 'X', message: 'x', step: null } }), true)
    const after = await stateOf(second, next)
    for (const [name, write] of Object.entries(WRITES)) await t.rejects(write(first, zombie), /another run/, name)
    t.equal(await first.endRun(zombie, 'succeeded', { result: 1 }), false)
    t.same(await stateOf(second, next), after)
    t.equal(await second.claim(zombie.seq, { lost: true }), null, 'what has ended is not lost')
  })

  t.test('a process takes back what an earlier one of its name ran, and nothing of others', async t => {
    const db = await openEmpty()
    const [one, two] = [new PostgresJobStore(db, { node: 'one' }), new PostgresJobStore(db, { node: 'two' })]
    const [own, other] = [await makeRun(one), await makeRun(two)]
    await new PostgresJobStore(db, { node: 'one' }).recover()
    t.match(await one.find(own.id), { status: 'queued' })
    t.match(await one.find(other.id), { status: 'running' })
    await two.steps.finish(other, 's', 1)
    await t.rejects(one.setResult(own, 1), /another run/, 'also before it is claimed again')
  })

  t.test('a write whose answer was lost is written once, whenever its first try arrives', async t => {
    const db = await openEmpty()
    const plain = new PostgresJobStore(db, { now: () => new Date('2026-01-01T00:00:00Z') })
    const losing = losingAnswers(db, 2)
    const store = new PostgresJobStore(losing.db, { now: () => new Date('2026-01-01T00:00:00Z') })
    const runOf = async (own: PostgresJobStore) => {
      const { job } = await plain.create(newJob({ task, notify: ['waiting', 'done'] }), ROOM)
      return { own, run: await claimed(own, job.seq) }
    }
    const [sure, unsure] = [await runOf(plain), await runOf(store)]
    t.equal(unsure.run.attempt, 1, 'a claim is one claim')
    const answers = await Promise.all(
      [sure, unsure].map(async ({ own, run }) => {
        const given: unknown[] = []
        for (const [name, write] of Object.entries(WRITES)) {
          const branch = { ...BRANCH, jobId: run.id, branch: run.id }
          given.push(name === 'branch' ? await own.features.claim(run, branch) : await write(own, run))
        }
        return [...given, await own.endRun(run, 'succeeded', { result: 2 })]
      }),
    )
    t.same(answers[1], answers[0], 'and is answered as the first time')
    t.ok(losing.lost() >= 2 * Object.keys(WRITES).length, String(losing.lost()))
    await losing.late()
    const states = await Promise.all([sure, unsure].map(({ run }) => stateOf(plain, run)))
    const shown = states.map(({ job, events, steps, transcript, diff, files, logs, input }) => ({
      job: { ...job, id: null, seq: null },
      ...{ events, steps, transcript, diff, files, input, logs: logs?.length },
    }))
    t.same(shown[1], shown[0])
    t.same(
      shown[1]?.events.map(({ id }) => id),
      shown[1]?.events.map((_event, place) => place + 1),
    )
    t.equal((await plain.notifications.pending('telegram')).length, 2)
  })

  t.test('patience ends, and requests of people do not wait', async t => {
    const db = await openEmpty()
    const store = new PostgresJobStore(db, { patience: { forMs: 0 } })
    const run = await makeRun(store)
    const broken: Database = { ...db, query: () => Promise.reject(away()) }
    const short = new PostgresJobStore(broken, { patience: { forMs: 120 } })
    await t.rejects(short.setResult(run, 1), { code: 'DATABASE_UNAVAILABLE' })
    const long = new PostgresJobStore(broken)
    await t.rejects(long.create(newJob(), ROOM), { code: 'DATABASE_UNAVAILABLE' })
    await t.rejects(long.cancel(run.seq), { code: 'DATABASE_UNAVAILABLE' })
    const aborted = new PostgresJobStore(broken, { patience: { forMs: 60_000, signal: AbortSignal.abort() } })
    await t.rejects(aborted.endRun(run, 'succeeded'), { code: 'DATABASE_UNAVAILABLE' })
  })

  t.test('the same idempotency key in two processes at once makes one job', async t => {
    const db = await openEmpty()
    const stores = [new PostgresJobStore(db), new PostgresJobStore(db)]
    for (let round = 0; round < 20; round++) {
      const idempotency = { key: `k${round}`, scope: 's', bodySha256: 'aa' }
      const made = await Promise.all(stores.map(store => store.create(newJob({ idempotency, task }), ROOM)))
      t.equal(new Set(made.map(({ job }) => job.id)).size, 1)
      t.same(made.map(({ replayed }) => replayed).sort(), [false, true])
    }
    t.equal((await stores[0]?.list({}, 100, null))?.length, 20)
    t.same(await stores[0]?.tasks.list({}, 1, null).then(([latest]) => latest?.number), 20)
  })

  t.test('what hands out hears of the queue within the transactions that change it', async t => {
    const db = await openEmpty()
    const heard: string[] = []
    let fails = false
    const note = (line: string) => {
      heard.push(line)
      if (fails) throw new Error('not handed out')
    }
    const handOut: HandOut = {
      added: async (tx, { seq, projectName, exclusiveKey }: QueueHead) => {
        const { rows } = await tx.query('SELECT status FROM jobs WHERE seq = $1', [seq])
        note(`added ${String(rows[0]?.status)} ${projectName} ${exclusiveKey}`)
      },
      ended: async (_tx, seq) => note(`ended ${typeof seq}`),
      claimed: async () => true,
      finished: () => null,
    }
    const store = new PostgresJobStore(db, { handOut })
    const { job } = await store.create(newJob({ exclusiveKey: 'k' }), ROOM)
    const run = await claimed(store, job.seq)
    await store.endRun(run, 'waiting', { suspension: QUESTION })
    t.same(heard.splice(0), ['added queued shop k'])
    const waiting = (await store.find(job.id)) ?? job
    const answer = { reply: 1, budget: null, note: '', entries: [], audit: done(NOBODY, AUDIT) }
    fails = true
    await t.rejects(store.answer(waiting, answer), /not handed out/)
    await t.rejects(store.create(newJob({ task }), ROOM), /not handed out/)
    await t.rejects(store.cancel(job.seq), /not handed out/)
    t.same([await store.find(job.id), await store.audit.list({}, 9, null)], [waiting, []], 'it is all undone')
    t.equal((await store.list({}, 9, null)).length, 1)
    fails = false
    heard.splice(0)
    await store.answer(waiting, answer)
    await store.endRun(await claimed(store, job.seq), 'queued')
    await claimed(store, job.seq)
    await store.recover()
    await store.cancel(job.seq)
    t.same(heard, [...Array.from({ length: 3 }, () => 'added queued shop k'), 'ended number'])
  })

  t.test('each committed change of a job is told by its id', async t => {
    const db = await openEmpty()
    const changed: string[] = []
    const store = new PostgresJobStore(db, { changed: id => changed.push(id) })
    const run = await makeRun(store)
    await store.events.text(run, 'log', 'x')
    await store.cancel(run.seq)
    await store.cancel(run.seq)
    await store.events.text(run, 'log', 'late')
    t.same(
      changed,
      Array.from({ length: 4 }, () => run.id),
    )
  })

  t.test('the queue has another version after what another process changed', async t => {
    const db = await openEmpty()
    const [one, two] = [new PostgresJobStore(db), new PostgresJobStore(db)]
    const versions = [await one.queueVersion()]
    const { job } = await two.create(newJob(), ROOM)
    versions.push(await one.queueVersion())
    await two.claim(job.seq)
    await two.create(newJob(), ROOM)
    versions.push(await one.queueVersion())
    t.equal(new Set(versions).size, 3)
    t.equal(await one.queueVersion(), versions[2])
  })

  t.test('any text that a client can send is given back as it was', async t => {
    const db = await openEmpty()
    const store = new PostgresJobStore(db)
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('\u0000', '\u001a', '0', '1', '\\', "'", '"', '✓', '\u202e', '$1'), { maxLength: 12 })
        .map(parts => parts.join('')),
    )
    await fc.assert(
      fc.asyncProperty(text, async one => {
        const more = { input: { one }, keyName: one, requestId: one, projectName: one, exclusiveKey: one }
        const audit = [{ ...done(NOBODY, { action: one, projectName: one, target: one }), outcome: one }]
        const run = await makeRun(store, { ...more, audit, task: { ...task, description: `d${one}` } })
        await store.events.text(run, 'log', one)
        await store.steps.finish(run, one, one)
        await store.transcript.add(run, one, { ...ENTRY, message: one })
        await store.texts.set(run, 'diff', one)
        await store.files.put(run, [{ path: one, bytes: 1, sha256: one }])
        await store.tasks.log(run, one, { ...TASK_LOG, inputSummary: one })
        t.match(await store.find(run.id), { keyName: one, requestId: one, projectName: one })
        t.same(await store.input(run.seq), { one })
        t.equal(await store.isActive(one), true)
        t.match((await store.list({ projectName: one }, 1, null))[0], { id: run.id })
        t.match((await store.events.list(run.seq, 2, 1))[0], { data: { text: one } })
        t.same(await store.steps.all(run.seq), [{ name: one, position: 1, output: one }])
        t.match(await store.transcript.all(run.seq), [{ step: one, entry: { message: one } }])
        t.equal(await store.texts.get(run.seq, 'diff'), one)
        t.match(await store.files.find(run.seq, one), { path: one, sha256: one })
        t.match(await store.tasks.list({}, 1, null), [{ description: `d${one}` }])
        t.match((await store.audit.list({ action: one, key: undefined }, 1, null))[0], { target: one, outcome: one })
        await store.cancel(run.seq)
      }),
      { numRuns: runs(200) },
    )
  })
})
