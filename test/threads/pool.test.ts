import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { test, type Test } from 'tap'
import { ThreadPool } from '../../src/threads/pool.ts'
import type * as gatedModule from '../fixtures/gated-module.ts'

const [BEGUN, OPEN, LOADED] = [0, 1, 2]
const WORK: keyof typeof gatedModule = 'work'
/** A thread ends within a few milliseconds when nothing keeps it. */
const AMPLE_MS = 100

/** A pool whose thread has begun to load its module and stays at that until `open`. */
async function loadingPool(t: Test, { signal }: { signal?: AbortSignal } = {}) {
  const gate = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT))
  const pool = new ThreadPool('../../test/fixtures/gated-module', { threads: 1, workerData: { gate } })
  const awake = setInterval(() => {}, 60_000) // neither the thread nor the wait for it keeps this process
  t.teardown(() => {
    clearInterval(awake)
    return pool.close()
  })
  const started = once(process, 'worker') as Promise<[Worker]>
  const begun = Atomics.waitAsync(gate, BEGUN, 0)
  const run = pool.run(WORK, {}, { signal })
  await begun.value
  const [thread] = await started
  return {
    pool,
    run,
    /** Whether the module was loaded when the thread ended. */
    ended: once(thread, 'exit').then(() => Atomics.load(gate, LOADED) === 1),
    open() {
      Atomics.store(gate, OPEN, 1)
      Atomics.notify(gate, OPEN)
    },
  }
}

test('an abort ends a thread that loads its module, but not before it has loaded it', async t => {
  const controller = new AbortController()
  const { pool, run, ended, open } = await loadingPool(t, controller)
  const reason = new Error('no longer wanted')
  const aborted = t.rejects(run, reason)
  controller.abort(reason)
  await Promise.race([ended, wait(AMPLE_MS)])
  open()
  await aborted
  await pool.close() // the task may not have reached the thread yet, which then stays for the next one
  t.ok(await ended)
})

test('so does the end of a pool', async t => {
  const { pool, run, ended, open } = await loadingPool(t)
  const aborted = t.rejects(run)
  const closed = pool.close()
  await Promise.race([ended, wait(AMPLE_MS)])
  open()
  t.ok(await ended)
  await Promise.all([aborted, closed])
})
