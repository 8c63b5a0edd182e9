import { test } from 'tap'
import { PhaseClock } from '../../src/indexer/phase-clock.ts'

function setup() {
  let ms = 0
  const clock = new PhaseClock(() => ms)
  const pass = (more: number) => {
    ms += more
  }
  return { clock, pass }
}

test('the time of each phase is added up, in whole milliseconds', async t => {
  const { clock, pass } = setup()
  t.equal(
    clock.measure('chunk', () => {
      pass(2.3)
      return 'cut'
    }),
    'cut',
  )
  await clock.measureAsync('store', async () => pass(10))
  clock.measure('chunk', () => pass(2.3))
  pass(1000)
  t.same(clock.timings(), { read: 0, chunk: 5, embed: 0, store: 10 })
})

test('what fails has taken its time, too', async t => {
  const { clock, pass } = setup()
  const fail = () => {
    pass(3)
    throw new Error('broken')
  }
  t.throws(() => clock.measure('read', fail), { message: 'broken' })
  await t.rejects(
    clock.measureAsync('read', async () => fail()),
    { message: 'broken' },
  )
  t.equal(clock.timings().read, 6)
})

test('of a stream only the waits for its items count; one that is left is closed', async t => {
  const { clock, pass } = setup()
  let isClosed = false
  async function* items() {
    try {
      for (let item = 1; ; item++) {
        pass(4)
        yield item
      }
    } finally {
      isClosed = true
    }
  }
  for await (const item of clock.measureEach('read', items())) {
    pass(100)
    if (item === 2) break
  }
  t.equal(clock.timings().read, 8)
  t.ok(isClosed)
})
