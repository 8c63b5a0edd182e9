import { test } from 'tap'
import { rememberVersion } from '../../src/core/remember-version.ts'

function counting() {
  const state = { version: '1' as string | null, reads: 0, changeWhileReading: false }
  const read = rememberVersion(
    async () => state.version,
    async key => {
      state.reads++
      const value = `${key} ${state.version}`
      if (state.changeWhileReading) state.version = '9'
      return value
    },
  )
  return { state, read }
}

test('what has not changed is read once for each key', async t => {
  const { state, read } = counting()
  t.equal(await read('a'), 'a 1')
  t.equal(await read('a'), 'a 1')
  t.equal(await read('b'), 'b 1')
  t.equal(state.reads, 2)
})

test('what has changed is read again', async t => {
  const { state, read } = counting()
  await read('a')
  state.version = '2'
  t.equal(await read('a'), 'a 2')
  t.equal(state.reads, 2)
})

test('what changed while it was read, or has no version, is read again the next time', async t => {
  const { state, read } = counting()
  state.changeWhileReading = true
  await read('a')
  state.changeWhileReading = false
  t.equal(await read('a'), 'a 9')
  state.version = null
  await read('a')
  await read('a')
  t.equal(state.reads, 4)
})

test('an error is not remembered', async t => {
  let fails = true
  const read = rememberVersion(
    async () => '1',
    async () => {
      if (fails) throw new Error('unreadable')
      return 'read'
    },
  )
  await t.rejects(read('a'), { message: 'unreadable' })
  fails = false
  t.equal(await read('a'), 'read')
})
