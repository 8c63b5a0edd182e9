import { test } from 'tap'
import { closedWorkspaces, NO_BUBBLEWRAP, startProblem, unavailable } from '../../../src/sandbox/jail/problem.ts'

test('a problem becomes an error that says what would help', async t => {
  t.match(unavailable(NO_BUBBLEWRAP), {
    code: 'SANDBOX_UNAVAILABLE',
    message: NO_BUBBLEWRAP.reason,
    fix: NO_BUBBLEWRAP.fix,
  })
})

test('what bubblewrap prints is known', async t => {
  for (const [said, reason] of [
    ['bwrap: No permissions to create new namespace', /no namespaces/],
    ['bwrap: setting up uid map: Permission denied', /no namespaces/],
    ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", /mount \/proc/],
    ['bwrap: Unknown option --disable-userns', /too old/],
  ] as const) {
    t.match(startProblem(said), { reason, fix: /./ }, said)
  }
  t.match(startProblem('something new'), { reason: /./, fix: /./ })
})

test('an account that cannot reach the workspaces is named', async t => {
  t.match(closedWorkspaces(64_001).reason, /uid 64001/)
  t.match(closedWorkspaces(undefined).reason, /uid \?/)
})
