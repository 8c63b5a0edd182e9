import { createHash } from 'node:crypto'
import { test } from 'tap'
import type { EnvironmentInput } from '../../../src/contract/environment.ts'
import { FaultlineError } from '../../../src/core/errors.ts'
import type { JobError, JobStatus } from '../../../src/core/job.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { createNeedEnvironment } from '../../../src/pipelines/steps/environment.ts'
import { cancelledBeforeStart, type KilledBy } from '../../../src/sandbox/run.ts'

const AT = { projectName: 'shop', repository: 'shop', commit: '1'.repeat(40) }

interface Settled {
  status: JobStatus
  error: JobError | null
  isElsewhere?: boolean
}

/** Jobs that install when the test says so, and what they leave. */
function installs() {
  const layers = new Set<string>()
  const made: Array<{ input: EnvironmentInput; keyName: string | null }> = []
  const ends: Array<PromiseWithResolvers<Settled>> = []
  const status: JobStatus[] = []
  const clock = { now: 0 }
  const open = { id: null as string | null, refusal: null as FaultlineError | null }
  const settings = { install: 'make' }
  const asked: { killedBy: KilledBy | null; stdout: string } = { killedBy: null, stdout: 'make 4' }
  const oid = createHash('sha1').update('{}').digest('hex')
  const needEnvironment = createNeedEnvironment({
    git: {
      listFiles: async () => ({ files: [{ path: 'x', mode: '100644', size: 2, oid }], others: [] }),
      readTexts: async ({ oids }) => oids.map(() => '{}'),
    },
    settingsOf: async () => ({ ...settings }),
    commitOf: async () => ({ commit: AT.commit }),
    sandbox: {
      run: async () => ({ ...cancelledBeforeStart(true), ...asked }),
      remove: async () => {},
      openLayer: async key => (layers.has(key) ? { key } : null),
    },
    installJobs: {
      findOpen: async () => open.id,
      async create(input, keyName) {
        if (open.refusal !== null) throw open.refusal
        made.push({ input, keyName })
        ends.push(Promise.withResolvers())
        status.push('running')
        return `${made.length - 1}`
      },
      async settled(id, signal) {
        const aborted = new Promise<null>(resolve => signal.addEventListener('abort', () => resolve(null)))
        return await Promise.race([ends[Number(id)]?.promise ?? null, aborted])
      },
      statusOf: async id => status[Number(id)] ?? null,
    },
    now: () => clock.now,
  })
  return {
    needEnvironment,
    made,
    layers,
    clock,
    open,
    settings,
    asked,
    end(index: number, ended: Pick<Settled, 'status' | 'isElsewhere'> & { error?: JobError }) {
      status[index] = ended.status
      if (ended.status === 'succeeded' && ended.isElsewhere !== true) layers.add(made[index]?.input.key ?? '')
      ends[index]?.resolve({ error: null, ...ended })
    },
  }
}

function job(signal = new AbortController().signal): JobContext {
  return { keyName: 'ci', signal, log() {}, workspace: async () => '/nonexistent' } as unknown as JobContext
}

const turns = () => new Promise(resolve => setImmediate(resolve))
const FAILED = {
  status: 'failed' as const,
  error: { code: 'ENVIRONMENT_FAILED', message: 'no registry', step: null, fix: 'f' },
}

test('ten who need the same wait for one job, made in the name of the first', async t => {
  const { needEnvironment, made, end } = installs()
  const states = Array.from({ length: 10 }, () => needEnvironment(job(), AT))
  while (made.length === 0) await turns()
  end(0, { status: 'succeeded' })
  for (const state of await Promise.all(states)) t.match(state, { status: 'ready', layer: { key: made[0]?.input.key } })
  t.match(made, [{ input: { project_name: 'shop', commit: AT.commit }, keyName: 'ci' }])
  t.equal(made.length, 1)
  t.match(await needEnvironment(job(), AT), { status: 'ready' })
  t.equal(made.length, 1, 'nor does a later one install')
})

test('a failure stands for a minute for all who ask; then it is tried again', async t => {
  const { needEnvironment, made, clock, end } = installs()
  const first = needEnvironment(job(), AT)
  while (made.length === 0) await turns()
  end(0, FAILED)
  t.same(await first, { status: 'failed', reason: 'no registry', fix: 'f' })
  clock.now = 59_000
  t.same(await needEnvironment(job(), AT), { status: 'failed', reason: 'no registry', fix: 'f' })
  t.equal(made.length, 1)
  clock.now = 60_000
  const again = needEnvironment(job(), AT)
  while (made.length === 1) await turns()
  end(1, { status: 'succeeded' })
  t.match(await again, { status: 'ready' })
})

test('who wants it is given a second install before it counts as failed', async t => {
  const { needEnvironment, made, end } = installs()
  const twice = () => needEnvironment(job(), AT, { installs: 2 })
  const both = [twice(), twice()]
  while (made.length === 0) await turns()
  end(0, FAILED)
  while (made.length === 1) await turns()
  end(1, { status: 'succeeded' })
  for (const state of await Promise.all(both)) t.match(state, { status: 'ready' })
  t.equal(made.length, 2)

  const other = installs()
  const once = other.needEnvironment(job(), AT)
  while (other.made.length === 0) await turns()
  other.end(0, FAILED)
  t.match(await once, { status: 'failed' })
  const again = other.needEnvironment(job(), AT, { installs: 2 })
  while (other.made.length === 1) await turns()
  other.end(1, FAILED)
  t.match(await again, { status: 'failed', reason: 'no registry' })
  t.match(await other.needEnvironment(job(), AT, { installs: 2 }), { status: 'failed' })
  t.equal(other.made.length, 2, 'nor is it installed a third time')
})

test('an install that was retried by hand in the meantime counts at once', async t => {
  const { needEnvironment, made, layers, end } = installs()
  const first = needEnvironment(job(), AT)
  while (made.length === 0) await turns()
  end(0, FAILED)
  await first
  layers.add(made[0]?.input.key ?? '')
  t.match(await needEnvironment(job(), AT), { status: 'ready' })
})

test('who is cancelled stops waiting, and the install goes on for the others', async t => {
  const { needEnvironment, made, end } = installs()
  const abort = new AbortController()
  const first = needEnvironment(job(abort.signal), AT)
  while (made.length === 0) await turns()
  const second = needEnvironment(job(), AT)
  abort.abort()
  await t.rejects(first, { name: 'AbortError' })
  await turns()
  end(0, { status: 'succeeded' })
  t.match(await second, { status: 'ready' })
  t.equal(made.length, 1)
})

test('what another node installed or failed to, as this one was taken for dead, is installed here', async t => {
  for (const ended of [{ status: 'succeeded' as const }, FAILED]) {
    const { needEnvironment, made, end } = installs()
    const states = [needEnvironment(job(), AT), needEnvironment(job(), AT)]
    for (let index = 0; index < 3; index++) {
      while (made.length <= index) await turns()
      end(index, { ...ended, isElsewhere: true })
    }
    while (made.length === 3) await turns()
    end(3, { status: 'succeeded' })
    for (const state of await Promise.all(states)) t.match(state, { status: 'ready' })
    t.equal(made.length, 4)
  }
})

test('a cancelled install is no failure that is remembered', async t => {
  const { needEnvironment, made, end } = installs()
  const first = needEnvironment(job(), AT)
  while (made.length === 0) await turns()
  end(0, { status: 'cancelled' })
  t.match(await first, { status: 'failed', reason: /cancelled/ })
  const second = needEnvironment(job(), AT)
  while (made.length === 1) await turns()
  end(1, { status: 'succeeded' })
  t.match(await second, { status: 'ready' })
})

test('after a restart the job that goes on is waited for, and none is made beside it', async t => {
  const { needEnvironment, made, open, end } = installs()
  const first = needEnvironment(job(), AT)
  while (made.length === 0) await turns()
  open.id = '0'
  const after = installs()
  after.open.id = 'gone'
  t.match(await after.needEnvironment(job(), AT), { status: 'failed', reason: /deleted/ })
  t.equal(after.made.length, 0)
  end(0, { status: 'succeeded' })
  await first
})

test('a full queue is a failed environment with what to do about it', async t => {
  const { needEnvironment, open } = installs()
  open.refusal = new FaultlineError('QUEUE_FULL', 'Too many.', 'Wait.')
  t.same(await needEnvironment(job(), AT), { status: 'failed', reason: 'Too many.', fix: 'Wait.' })
})

test('what is asked for anew while it is installed is installed anew', async t => {
  const { needEnvironment, made, settings, layers, end } = installs()
  const state = needEnvironment(job(), AT)
  while (made.length === 0) await turns()
  settings.install = 'make deps'
  end(0, { status: 'succeeded' })
  while (made.length === 1) await turns()
  end(1, { status: 'succeeded' })
  t.match(await state, { status: 'ready', key: made[1]?.input.key })
  t.equal(layers.size, 2)
})

test('versions that were not told are not believed, nor remembered', async t => {
  const { needEnvironment, made, asked, end } = installs()
  Object.assign(asked, { killedBy: 'time', stdout: 'ma' })
  t.match(await needEnvironment(job(), AT), { status: 'failed', reason: /did not tell their versions \(time\)/ })
  Object.assign(asked, { killedBy: null, stdout: 'make 4' })
  const state = needEnvironment(job(), AT)
  while (made.length === 0) await turns()
  end(0, { status: 'succeeded' })
  t.match(await state, { status: 'ready' })
})
