import { test } from 'tap'
import { createSlots } from '../../src/threads/semaphore.ts'

test('who finds no place gets the next one that is free, in the order of coming', async t => {
  const slots = createSlots(2)
  const got: string[] = []
  const take = async (name: string): Promise<void> => {
    await slots.take()
    got.push(name)
  }
  const all = ['a', 'b', 'c', 'd'].map(take)
  await Promise.all(all.slice(0, 2))
  t.same(got, ['a', 'b'])
  slots.release()
  await all[2]
  t.same(got, ['a', 'b', 'c'])
  slots.release()
  await all[3]
  t.same(got, ['a', 'b', 'c', 'd'])
})

test('who leaves while he waits takes no place, and who leaves as he gets one keeps it until it is released', async t => {
  const slots = createSlots(1)
  await slots.take()
  const [gone, late] = [new AbortController(), new AbortController()]
  const first = slots.take(gone.signal)
  const second = slots.take(late.signal)
  gone.abort(new Error('gone'))
  await t.rejects(first, { message: 'gone' })
  slots.release()
  late.abort(new Error('late'))
  await second
  const third = slots.take()
  slots.release()
  await third
  await t.rejects(slots.take(gone.signal), { message: 'gone' })
})
