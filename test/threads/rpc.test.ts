import { Worker } from 'node:worker_threads'
import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { callerOf } from '../../src/threads/rpc.ts'
import type { functions } from '../fixtures/served-functions.ts'

/** A caller, the threads that it started, and why those ended that were not to end. */
function caller(t: Test, { maxOldGenerationSizeMb = 512 } = {}) {
  const threads: Worker[] = []
  const crashes: unknown[] = []
  function start(): Worker {
    const thread = new Worker(new URL('../fixtures/served-functions.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb },
    })
    threads.push(thread)
    return thread
  }
  const { call, end } = callerOf<typeof functions>(start, { onCrash: error => crashes.push(error) })
  t.teardown(() => Promise.all(threads.map(thread => thread.terminate())))
  return { threads, crashes, call, end }
}

test('calls are answered by the functions of the thread, each with its own answer', async t => {
  const { call } = caller(t)
  t.same(await Promise.all([1, 2, 3].map(value => call('double', value))), [2, 4, 6])
})

test('errors keep their code, and bugs their message', async t => {
  const { call } = caller(t)
  await t.rejects(call('fail', 'expected'), new FaultlineError('NOT_FOUND', 'There is none.', 'Make one.'))
  await t.rejects(call('fail', 'system'), {
    message: 'not kept',
    cause: { message: 'no space left', code: 'ENOSPC', stack: /served-functions/ },
  })
  await t.rejects(call('fail', 'bug'), { message: 'a bug' })
  await t.rejects(call('fail', 'uncloneable'), { name: 'Error' })
})

test('an abort is told to the function; the call ends with the reason when the function has ended, and other calls go on', async t => {
  const { call } = caller(t)
  const controller = new AbortController()
  const seen: string[] = []
  const waiting = call<'untilAborted', string>('untilAborted', null, {
    signal: controller.signal,
    onProgress: phase => {
      seen.push(phase)
      controller.abort(reason)
    },
  })
  const reason = new FaultlineError('CANCELLED', 'No longer wanted.')
  t.equal(await waiting.catch((error: unknown) => error), reason)
  t.same(seen, ['waiting', 'told: CANCELLED'])
  t.equal(await call('double', 4), 8)
  await t.rejects(call('double', 4, { signal: controller.signal }), reason)
})

for (const [how, cause] of [
  ['uncaught', { message: 'nothing caught it' }],
  ['memory', { code: 'ERR_WORKER_OUT_OF_MEMORY' }],
  ['exit', { message: /code 3/ }],
] as const) {
  test(`a thread that breaks down (${how}) takes the calls under way with it and is told of; the next call starts another`, async t => {
    const { call, threads, crashes } = caller(t, { maxOldGenerationSizeMb: 32 })
    const waiting = t.rejects(call('untilAborted', null), { message: 'The thread for this broke down.', cause })
    const breaking: unknown = await call('breakDown', how).catch(error => error)
    t.notOk(breaking instanceof FaultlineError, 'it is a bug')
    await waiting
    t.match(crashes, [cause])
    t.equal(await call('double', 2), 4)
    t.equal(threads.length, 2)
    t.equal(crashes.length, 1)
  })
}

test('no thread is there before it is called, nor for the end alone', async t => {
  const { end, threads } = caller(t)
  await end('close')
  t.same(threads, [])
})

test('calls of a thread that was ended are refused, also those under way; to end it again is the same once', async t => {
  const { call, threads, crashes, end } = caller(t)
  const waiting = t.rejects(call('untilAborted', null), { code: 'SHUTTING_DOWN' })
  const ends = [end('close'), end('close')]
  await Promise.all([waiting, ...ends])
  await end('close')
  await t.rejects(call('double', 1), { code: 'SHUTTING_DOWN' })
  t.equal(threads.length, 1)
  t.same(crashes, [])
})

test('a thread that breaks down in its last call is not started again', async t => {
  const { call, threads, crashes, end } = caller(t)
  await call('double', 1)
  await t.rejects(end('breakInClose'), { cause: { message: 'nothing caught it' } })
  await t.rejects(call('double', 1), { code: 'SHUTTING_DOWN' })
  t.match(crashes, [{ message: 'nothing caught it' }])
  t.equal(threads.length, 1)
})
