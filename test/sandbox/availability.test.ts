import { test, type Test } from 'tap'
import { Availability, type AvailabilityDeps } from '../../src/sandbox/availability.ts'
import { NO_BUBBLEWRAP, SWITCHED_OFF } from '../../src/sandbox/jail/problem.ts'
import { cancelledBeforeStart, type Outcome } from '../../src/sandbox/run.ts'

const WORKED: Outcome = { ...cancelledBeforeStart(true), exitCode: 0, killedBy: null, began: true }

function availability(t: Test, deps: Partial<AvailabilityDeps> = {}) {
  const tried: Outcome[] = []
  const made = new Availability({
    options: { mode: 'auto', workspacesDir: t.testdir(), loopbackOnly: true },
    confinement: { missing: () => null },
    account: null,
    ownFolders: [],
    tryOut: async () => {
      tried.push(WORKED)
      return WORKED
    },
    ...deps,
  })
  return { made, tried }
}

test('where a trial run works programs can be run, and the answer is remembered', async t => {
  const { made, tried } = availability(t)
  t.equal(await made.problem(), null)
  t.equal(await made.problem(), null)
  t.equal(tried.length, 1)
  made.forget()
  t.equal(await made.problem(), null)
  t.equal(tried.length, 2)
})

test('what is known without a run needs none', async t => {
  const { made, tried } = availability(t, { confinement: { missing: () => NO_BUBBLEWRAP } })
  t.equal(await made.problem(), NO_BUBBLEWRAP)
  const off = availability(t, { options: { mode: 'none', workspacesDir: t.testdir(), loopbackOnly: true } })
  t.equal(off.made.refusal(), SWITCHED_OFF)
  t.same([tried, off.tried], [[], []])
})

test('a trial run that fails says why', async t => {
  const failed: Outcome = { ...WORKED, exitCode: 1, began: false, stderr: 'bwrap: Unknown option --disable-userns' }
  const { made } = availability(t, { tryOut: async () => failed })
  t.match(await made.problem(), { reason: /too old/, fix: /Install bubblewrap/ })
})

test('a trial run under way can be waited for, however it ends', async t => {
  const { made } = availability(t, { tryOut: async () => Promise.reject(new Error('no')) })
  const asked = made.problem()
  await made.settled()
  await t.rejects(asked, { message: 'no' })
})
