import { test } from 'tap'
import { cancelledBeforeStart } from '../../src/sandbox/run.ts'

test('a run that was cancelled before its start has no exit code, no output and took no time', async t => {
  t.match(cancelledBeforeStart(true), {
    exitCode: null,
    killedBy: 'cancelled',
    timedOut: false,
    stdout: '',
    stderr: '',
    durationMs: 0,
    sandboxed: true,
  })
  t.equal(cancelledBeforeStart(false).sandboxed, false)
})
