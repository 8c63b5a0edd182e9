import { once } from 'node:events'
import { mock } from 'node:test'
import { test } from 'tap'
import { startDeadlines } from '../../src/threads/deadline.ts'
import type { TaskState } from '../../src/threads/task.ts'

const messageTo = (deadlines: ReturnType<typeof startDeadlines>, message: TaskState | { progress: string }): void =>
  deadlines.port.postMessage(message)

test('a task that does not begin in time has waited too long, and one that works too long is told from it', async t => {
  const deadlines = startDeadlines({ queueMs: 1, timeoutMs: 2 })
  await once(deadlines.waitedTooLong, 'abort')
  t.match(deadlines.waitedTooLong.reason, { code: 'OVERLOADED' })
  t.notOk(deadlines.workedTooLong.aborted)
  messageTo(deadlines, { state: 'works' })
  await once(deadlines.workedTooLong, 'abort')
  t.match(deadlines.workedTooLong.reason, { code: 'RESOLVE_TIMED_OUT', message: /more than 0\.002 s/ })
  deadlines.close()
})

test('what a task opens and waits for is no work', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { promise, resolve } = Promise.withResolvers<void>()
  const deadlines = startDeadlines({ queueMs: 10, timeoutMs: 10, onProgress: () => resolve() })
  for (const state of ['opens', 'works', 'waits'] as const) messageTo(deadlines, { state })
  messageTo(deadlines, { progress: 'all was read' })
  await promise
  mock.timers.tick(1000)
  t.notOk(deadlines.waitedTooLong.aborted || deadlines.workedTooLong.aborted)
  deadlines.close()
})
