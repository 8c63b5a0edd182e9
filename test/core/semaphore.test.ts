import { test } from 'tap'
import { Semaphore } from '../../src/core/semaphore.ts'

test('a caller that finds no permit gets the next free one, in the order of arrival', async t => {
  const permits = new Semaphore(2)
  const got: string[] = []
  const take = async (name: string): Promise<void> => {
    await permits.acquire()
    got.push(name)
  }
  const all = ['a', 'b', 'c', 'd'].map(take)
  await Promise.all(all.slice(0, 2))
  t.same(got, ['a', 'b'])
  permits.release()
  await all[2]
  t.same(got, ['a', 'b', 'c'])
  permits.release()
  await all[3]
  t.same(got, ['a', 'b', 'c', 'd'])
})

test('a caller that aborts while it waits takes no permit, and one that aborts as it is granted one keeps it', async t => {
  const permits = new Semaphore(1)
  await permits.acquire()
  const [gone, late] = [new AbortController(), new AbortController()]
  const first = permits.acquire(gone.signal)
  const second = permits.acquire(late.signal)
  gone.abort(new Error('gone'))
  await t.rejects(first, { message: 'gone' })
  permits.release()
  late.abort(new Error('late'))
  await second
  const third = permits.acquire()
  permits.release()
  await third
  await t.rejects(permits.acquire(gone.signal), { message: 'gone' })
})

test('a caller whose signal has fired already takes no permit, though one is free', async t => {
  const permits = new Semaphore(1)
  await t.rejects(permits.acquire(AbortSignal.abort(new Error('gone'))), { message: 'gone' })
  await permits.acquire()
  const order: string[] = []
  const leave = new AbortController()
  const second = permits.acquire(leave.signal).catch(() => order.push('left'))
  const third = permits.acquire().then(() => order.push('third'))
  leave.abort()
  await second
  permits.release()
  await third
  t.same(order, ['left', 'third'])
})

test('permits that are added go to those who wait, and those taken away are missing once they are given back', async t => {
  const permits = new Semaphore(1)
  await permits.acquire()
  const second = permits.acquire()
  permits.add(1)
  await second
  permits.remove(1)
  let hasThird = false
  const third = permits.acquire().then(() => (hasThird = true))
  permits.release()
  await new Promise(resolve => setImmediate(resolve))
  t.equal(hasThird, false, 'only one may be held, and one is')
  permits.release()
  await third
})
