import { test } from 'tap'
import { createLoading, loaded, untilLoaded } from '../../src/threads/loading.ts'

test('a pool waits until no thread of it loads its module', async t => {
  const loading = createLoading()
  await untilLoaded(loading)
  Atomics.add(loading.threadsLoading, 0, 2)
  let isOver = false
  const over = untilLoaded(loading).then(() => {
    isOver = true
  })
  Atomics.sub(loading.threadsLoading, 0, 1)
  await new Promise(resolve => setImmediate(resolve))
  t.notOk(isOver)
  Atomics.sub(loading.threadsLoading, 0, 1)
  await over
  t.ok(isOver)
})

test('outside of a thread nothing is counted', async t => {
  t.doesNotThrow(loaded)
})
