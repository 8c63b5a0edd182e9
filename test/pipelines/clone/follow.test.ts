import { test } from 'tap'
import { createFollower, type SyncedProject } from '../../../src/pipelines/clone/follow.ts'

const MINUTE = 60_000

/** A follower whose time the test sets, and what it was asked to look at. */
function follower(projects: SyncedProject[], { random = 0.5 }: { random?: number } = {}) {
  const clock = { now: 1_000 * MINUTE }
  const looked: string[] = []
  const failed: unknown[] = []
  const made = createFollower({
    list: async () => projects,
    update: async name => {
      if (name === 'broken') throw new Error('no network')
      looked.push(name)
    },
    onError: error => failed.push(error),
    now: () => clock.now,
    random: () => random,
  })
  return { ...made, clock, looked, failed }
}

test('a project is looked at when its time has come since it was indexed, and then at each interval', async t => {
  const shop = { projectName: 'shop', everyMs: 15 * MINUTE, lastAt: 990 * MINUTE }
  const { tick, clock, looked } = follower([shop])
  t.equal(await tick(), 5 * MINUTE)
  t.strictSame(looked, [])
  clock.now += 5 * MINUTE
  t.equal(await tick(), 15 * MINUTE)
  clock.now += 15 * MINUTE
  await tick()
  t.strictSame(looked, ['shop', 'shop'])
})

test('what is overdue after a restart comes soon, but not all at once; the times of many differ', async t => {
  const late = (projectName: string) => ({ projectName, everyMs: 15 * MINUTE, lastAt: 0 })
  const { tick, clock, looked } = follower([late('a'), late('b')], { random: 0.9 })
  const wait = (await tick()) ?? 0
  t.ok(wait > 0 && wait <= MINUTE / 2, String(wait))
  clock.now += wait
  t.equal(await tick(), 16.2 * MINUTE)
  t.strictSame(looked, ['a', 'b'])
})

test('a project that fails takes no other with it, and one whose interval is taken back is left alone', async t => {
  const projects = [
    { projectName: 'broken', everyMs: MINUTE, lastAt: 0 },
    { projectName: 'shop', everyMs: MINUTE, lastAt: 0 },
  ]
  const { tick, clock, looked, failed } = follower(projects, { random: 0 })
  await tick()
  t.match([looked, failed], [['shop'], [/no network/]])
  projects.splice(0)
  clock.now += 10 * MINUTE
  t.equal(await tick(), null)
  t.strictSame(looked, ['shop'])
})

test('a new interval counts at once', async t => {
  const shop = { projectName: 'shop', everyMs: 600 * MINUTE, lastAt: 999 * MINUTE }
  const projects = [shop]
  const { tick, looked } = follower(projects)
  t.equal(await tick(), 599 * MINUTE)
  projects[0] = { ...shop, everyMs: MINUTE, lastAt: 0 }
  t.equal(await tick(), MINUTE / 4)
  t.strictSame(looked, [])
})
