import { mock } from 'node:test'
import { test } from 'tap'
import { Rush } from '../../src/services/rush.ts'

/** Answers under way, each of which ends when told. */
function answers(rush: Rush, count: number): Array<() => Promise<void>> {
  return Array.from({ length: count }, () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const answered = rush.during(() => promise)
    return () => {
      resolve()
      return answered
    }
  })
}

const settled = () => new Promise<void>(resolve => setImmediate(resolve))

test('many answers at once are a rush, until there were few for a while', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const rush = new Rush()
  let heard = 0
  const stop = rush.onRush(() => heard++)
  const [first, second] = answers(rush, 2)
  t.notOk(rush.isOn)
  await rush.untilCalm()
  const [third] = answers(rush, 1)
  t.ok(rush.isOn)
  t.equal(heard, 1)
  let calm = false
  const waiting = rush.untilCalm().then(() => {
    calm = true
  })
  await third?.()
  mock.timers.tick(999)
  await settled()
  t.notOk(calm)
  const [fourth] = answers(rush, 1)
  t.equal(heard, 1, 'it is still the same rush')
  mock.timers.tick(5_000)
  t.ok(rush.isOn)
  await fourth?.()
  mock.timers.tick(1_000)
  await waiting
  t.ok(calm)
  t.notOk(rush.isOn)
  stop()
  answers(rush, 1)
  t.equal(heard, 1, 'nobody listens')
  await Promise.all([first?.(), second?.()])
})

test('many answers in a second are a rush, though each is given at once', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  let time = 0
  const rush = new Rush({ now: () => time })
  const answer = () => rush.during(async () => {})
  for (let i = 0; i < 49; i++) await answer()
  t.notOk(rush.isOn)
  time = 1_001
  for (let i = 0; i < 49; i++) await answer()
  t.notOk(rush.isOn, 'they were not in one second')
  await answer()
  t.ok(rush.isOn)
  mock.timers.tick(600)
  await answer()
  mock.timers.tick(600)
  t.ok(rush.isOn)
  mock.timers.tick(400)
  t.notOk(rush.isOn)
})

test('an answer that fails is one that has ended', async t => {
  const rush = new Rush({ calmMs: 1 })
  const failing = Array.from({ length: 3 }, () => rush.during(() => Promise.reject(new Error('no'))))
  t.ok(rush.isOn)
  await Promise.all(failing.map(one => t.rejects(one, { message: 'no' })))
  await rush.untilCalm()
  t.notOk(rush.isOn)
})

test('nobody waits for calm for ever, nor after an abort', async t => {
  const rush = new Rush({ patienceMs: 5 })
  const ends = answers(rush, 3)
  await rush.untilCalm()
  t.ok(rush.isOn)
  const controller = new AbortController()
  const patient = new Rush()
  const others = answers(patient, 3)
  const waits = patient.untilCalm(controller.signal)
  controller.abort(new Error('closing'))
  await t.rejects(waits)
  await t.rejects(patient.untilCalm(controller.signal), { message: 'closing' })
  for (const end of [...ends, ...others]) await end()
})

test('who leaves waits no more, and in a long rush nothing piles up', async t => {
  const rush = new Rush()
  const ends = answers(rush, 3)
  for (let i = 0; i < 100; i++) {
    const controller = new AbortController()
    const waits = rush.untilCalm(controller.signal)
    controller.abort(new Error('enough'))
    await t.rejects(waits, { message: 'enough' })
  }
  t.equal(rush.waiting, 0)
  for (const end of ends) await end()
})

test('fifty answers are many up to the end of the second in which the first one came', async t => {
  let time = 0
  for (const [end, isOn] of [
    [1_000, true],
    [1_001, false],
  ] as const) {
    time = 0
    const rush = new Rush({ now: () => time, calmMs: 1 })
    for (let i = 0; i < 49; i++) await rush.during(async () => {})
    time = end
    await rush.during(async () => {})
    t.equal(rush.isOn, isOn, `${end} ms`)
    await rush.untilCalm()
  }
})
