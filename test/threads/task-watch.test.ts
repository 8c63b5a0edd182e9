import { once } from 'node:events'
import { mock } from 'node:test'
import { test } from 'tap'
import { watchTask, type TaskState } from '../../src/threads/task-watch.ts'

const messageTo = (watch: ReturnType<typeof watchTask>, message: TaskState | { progress: string }): void =>
  watch.port.postMessage(message)

test('a task that does not begin in time has waited too long, and one that works too long is told from it', async t => {
  const watch = watchTask({ queueMs: 1, timeoutMs: 2 })
  await once(watch.waitedTooLong, 'abort')
  t.match(watch.waitedTooLong.reason, { code: 'OVERLOADED' })
  t.notOk(watch.workedTooLong.aborted)
  messageTo(watch, { state: 'works' })
  await once(watch.workedTooLong, 'abort')
  t.match(watch.workedTooLong.reason, { code: 'RESOLVE_TIMED_OUT', message: /more than 0\.002 s/ })
  watch.close()
})

test('what a task opens and waits for is no work', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { promise, resolve } = Promise.withResolvers<void>()
  const watch = watchTask({ queueMs: 10, timeoutMs: 10, onProgress: () => resolve() })
  for (const state of ['opens', 'works', 'waits'] as const) messageTo(watch, { state })
  messageTo(watch, { progress: 'all was read' })
  await promise
  mock.timers.tick(1000)
  t.notOk(watch.waitedTooLong.aborted || watch.workedTooLong.aborted)
  watch.close()
})
