import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { test, type Test } from 'tap'
import { FaultlineError } from '../src/core/errors.ts'
import { callerOf } from '../src/thread-calls.ts'
import type { functions } from './fixtures/served-functions.ts'

async function threadOf (t: Test) {
  const thread = new Worker(new URL('./fixtures/served-functions.ts', import.meta.url))
  t.teardown(() => thread.terminate())
  return { thread, ...callerOf<typeof functions>(thread) }
}

test('calls are answered by the functions of the thread, each with its own answer', async t => {
  const { call } = await threadOf(t)
  t.same(await Promise.all([1, 2, 3].map(value => call('double', value))), [2, 4, 6])
})

test('errors keep their code, and bugs their message', async t => {
  const { call } = await threadOf(t)
  await t.rejects(call('fail', 'expected'), new FaultlineError('NOT_FOUND', 'There is none.', 'Make one.'))
  await t.rejects(call('fail', 'bug'), { message: 'a bug' })
  await t.rejects(call('fail', 'uncloneable'), { name: 'Error' })
})

test('an abort is told to the function; the call ends with the reason when the function has ended, and other calls go on', async t => {
  const { call } = await threadOf(t)
  const controller = new AbortController()
  const seen: string[] = []
  const waiting = call<'untilAborted', string>('untilAborted', null, { signal: controller.signal, onProgress: phase => { seen.push(phase); controller.abort(reason) } })
  const reason = new FaultlineError('CANCELLED', 'No longer wanted.')
  t.equal(await waiting.catch((error: unknown) => error), reason)
  t.same(seen, ['waiting', 'told: CANCELLED'])
  t.equal(await call('double', 4), 8)
  await t.rejects(call('double', 4, { signal: controller.signal }), reason)
})

test('calls of a thread that has ended are refused, also those under way', async t => {
  const { call, thread, end } = await threadOf(t)
  const waiting = t.rejects(call('untilAborted', null), { code: 'SHUTTING_DOWN' })
  const ended = once(thread, 'exit')
  await end()
  await Promise.all([waiting, ended])
  await t.rejects(call('double', 1), { code: 'SHUTTING_DOWN' })
})
