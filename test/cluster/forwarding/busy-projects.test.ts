import { test } from 'tap'
import { BusyProjects } from '../../../src/cluster/forwarding/busy-projects.ts'

/** Projects whose indexes come when a test says so. */
function busyProjects() {
  let nowMs = 0
  const asked: string[] = []
  let coming = Promise.withResolvers<boolean>()
  const projects = new BusyProjects({
    now: () => nowMs,
    bring(name) {
      asked.push(name)
      coming = Promise.withResolvers<boolean>()
      return coming.promise
    },
  })
  return {
    asked,
    /** Asks so often; how many were answered here. */
    ask: (name: string, count: number): number =>
      Array.from({ length: count }, () => projects.answersHere(name)).filter(isHere => isHere).length,
    later(ms: number) {
      nowMs += ms
    },
    async comes(isHere: boolean | Error) {
      if (isHere instanceof Error) coming.reject(isHere)
      else coming.resolve(isHere)
      await coming.promise.catch(() => {})
      await Promise.resolve() // what waits for it goes on
    },
  }
}

test('a project that many ask about is answered from a copy as soon as that is here', async t => {
  const { ask, asked, comes } = busyProjects()
  t.equal(ask('shop', 299), 0)
  t.same(asked, [])
  t.equal(ask('Shop', 1), 0)
  t.same(asked, ['Shop'], 'whatever the case')
  t.equal(ask('shop', 500), 0, 'what comes meanwhile goes to the other node')
  await comes(true)
  t.equal(ask('shop', 10), 10)
  t.same(asked, ['Shop'], 'it is asked for once')
  t.equal(ask('other', 10), 0)
})

test('what few ask about is never brought', async t => {
  const { ask, asked, later } = busyProjects()
  for (let minute = 0; minute < 10; minute++) {
    ask('shop', 299)
    later(60_000)
  }
  t.same(asked, [])
})

test('a copy is given up after a minute with few requests, and after a while with none', async t => {
  const { ask, asked, comes, later } = busyProjects()
  const begin = async () => {
    ask('shop', 300)
    await comes(true)
  }
  await begin()
  later(60_000)
  t.equal(ask('shop', 30), 30)
  later(60_000)
  t.equal(ask('shop', 29), 29, 'the minute before had enough')
  later(60_000)
  t.equal(ask('shop', 10), 0)
  later(60_000)
  await begin()
  later(120_000)
  t.equal(ask('shop', 1), 0)
  t.equal(asked.length, 2)
})

test('a copy that cannot be had is asked for again after as many requests', async t => {
  const { ask, asked, comes } = busyProjects()
  for (const failure of [false, new Error('the object store is away')]) {
    ask('shop', 300)
    await comes(failure)
    t.equal(ask('shop', 299), 0)
  }
  t.equal(asked.length, 2)
  ask('shop', 1)
  await comes(true)
  t.equal(ask('shop', 1), 1)
})
