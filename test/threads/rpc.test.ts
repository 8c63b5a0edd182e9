import { Worker } from 'node:worker_threads'
import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { remoteOf } from '../../src/threads/rpc.ts'
import type { Functions } from '../fixtures/served-functions.ts'

/** The remote functions, the threads that were started, and why those ended that were not to end. */
function setup(t: Test, { maxOldGenerationSizeMb = 512, workerData = null as string | null } = {}) {
  const threads: Worker[] = []
  const crashes: unknown[] = []
  function start(): Worker {
    const thread = new Worker(new URL('../fixtures/served-functions.ts', import.meta.url), {
      execArgv: [],
      workerData,
      resourceLimits: { maxOldGenerationSizeMb },
    })
    threads.push(thread)
    return thread
  }
  const warnings: unknown[][] = []
  const remote = remoteOf<Functions>(start, {
    onCrash: error => crashes.push(error),
    notices: { onWarning: (...given: unknown[]) => warnings.push(given) },
  })
  t.teardown(() => Promise.all(threads.map(thread => thread.terminate())))
  return { threads, crashes, warnings, remote }
}

test('calls are answered by the functions of the thread, each with its own answer', async t => {
  const { remote } = setup(t)
  t.same(await Promise.all([1, 2, 3].map(remote.double)), [2, 4, 6])
  await t.rejects((remote as unknown as { triple(value: number): Promise<number> }).triple(1), /serves no triple/)
})

test('errors keep their code, and bugs their message', async t => {
  const { remote } = setup(t)
  await t.rejects(remote.fail('expected'), new FaultlineError('NOT_FOUND', 'There is none.', 'Make one.'))
  await t.rejects(remote.fail('system'), {
    message: 'not kept',
    cause: { message: 'no space left', code: 'ENOSPC', stack: /served-functions/ },
  })
  await t.rejects(remote.fail('bug'), { message: 'a bug' })
  await t.rejects(remote.fail('uncloneable'), { name: 'Error' })
})

test(
  'an abort is told to the function; the call ends with the reason when the function has ended, and other ' +
    'calls go on',
  async t => {
    const { remote } = setup(t)
    const controller = new AbortController()
    const reason = new FaultlineError('CANCELLED', 'No longer wanted.')
    const seen: string[] = []
    const waiting = remote.untilAborted(controller.signal, phase => {
      seen.push(phase)
      controller.abort(reason)
    })
    t.equal(await waiting.catch((error: unknown) => error), reason)
    t.same(seen, ['waiting', 'told: CANCELLED'])
    t.equal(await remote.double(4), 8)
    await t.rejects(remote.untilAborted(controller.signal), reason)
  },
)

for (const [how, cause] of [
  ['uncaught', { message: 'nothing caught it' }],
  ['memory', { code: 'ERR_WORKER_OUT_OF_MEMORY' }],
  ['exit', { message: /code 3/ }],
] as const) {
  test(
    `a thread that breaks down (${how}) takes the calls under way with it and is told of; the next call ` +
      'starts another',
    async t => {
      const { remote, threads, crashes } = setup(t, { maxOldGenerationSizeMb: 32 })
      const waiting = t.rejects(remote.untilAborted(), { name: 'WorkerLostError', cause })
      const breaking: unknown = await remote.breakDown(how).catch((error: unknown) => error)
      t.notOk(breaking instanceof FaultlineError, 'it is a bug')
      await waiting
      t.match(crashes, [cause])
      t.equal(await remote.double(2), 4)
      t.equal(threads.length, 2)
      t.equal(crashes.length, 1)
    },
  )
}

test('no thread is there before it is called, nor for the end alone', async t => {
  const { remote, threads } = setup(t)
  await remote.close()
  t.same(threads, [])
})

test('calls of a thread that was ended are refused, also those under way; closing is idempotent', async t => {
  const { remote, threads, crashes } = setup(t)
  const waiting = t.rejects(remote.untilAborted(), { code: 'SHUTTING_DOWN' })
  const ends = [remote.close(), remote.close()]
  await Promise.all([waiting, ...ends])
  await remote.close()
  await t.rejects(remote.double(1), { code: 'SHUTTING_DOWN' })
  t.equal(threads.length, 1)
  t.same(crashes, [])
})

test('a thread that breaks down in its last call is not started again', async t => {
  const { remote, threads, crashes } = setup(t, { workerData: 'breaks in close' })
  await remote.double(1)
  await t.rejects(remote.close(), { cause: { message: 'nothing caught it' } })
  await t.rejects(remote.double(1), { code: 'SHUTTING_DOWN' })
  t.match(crashes, [{ message: 'nothing caught it' }])
  t.equal(threads.length, 1)
})

test('a signal and listeners may be fields of an argument; a listener that throws ends its call', async t => {
  const { remote } = setup(t)
  const { signal } = new AbortController()
  t.equal(await remote.count({ to: 3, signal, onNumber: undefined }), 'counted to 3')
  const heard: number[][] = []
  const counted = remote.count({
    to: 9,
    signal,
    onNumber: (number, of) => {
      heard.push([number, of])
      if (number === 2) throw new Error('enough')
    },
  })
  await t.rejects(counted, { message: 'enough' })
  t.same(heard, [
    [1, 9],
    [2, 9],
  ])
})

test('a thread may say what nobody asked for', async t => {
  const { remote, warnings } = setup(t)
  await remote.warn('careful')
  t.same(warnings, [['careful', 1]])
})

test('a remote is no promise, and its functions can be passed on by themselves', async t => {
  const { remote } = setup(t)
  t.equal(await Promise.resolve(remote), remote)
  const { double } = remote
  t.equal(double, remote.double)
  t.equal(await double(5), 10)
})
