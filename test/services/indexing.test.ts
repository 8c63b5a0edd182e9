import { EventEmitter } from 'node:events'
import { mock } from 'node:test'
import { test } from 'tap'
import { startIndexing } from '../../src/services/indexing.ts'
import { WORKER_THREADS } from '../../src/threads/entry.ts'

/** A process that takes calls and answers none. */
class SilentPeer extends EventEmitter {
  hasEnded = false

  postMessage(): void {}

  ref(): void {}

  unref(): void {}

  async terminate(): Promise<void> {
    this.hasEnded = true
    this.emit('exit', 0)
  }
}

test('the process stays as long as one waits for what it is to index, and ends a while after', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const peer = new SilentPeer()
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const { prepare, close } = startIndexing(
    {},
    { log, starter: { ...WORKER_THREADS, indexing: () => peer }, idleMs: 10 },
  )
  const releases = [prepare(true), prepare(false)]
  mock.timers.tick(1_000)
  t.notOk(peer.hasEnded, 'two clones are under way')
  for (const release of [releases[0], releases[0]]) release?.()
  mock.timers.tick(1_000)
  t.notOk(peer.hasEnded, 'one is')
  releases[1]?.()
  mock.timers.tick(9)
  t.notOk(peer.hasEnded)
  mock.timers.tick(1)
  t.ok(peer.hasEnded)
  await close()
})
