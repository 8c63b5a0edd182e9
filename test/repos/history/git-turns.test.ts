import { test } from 'tap'
import { GitTurns } from '../../../src/repos/history/git-turns.ts'

test('a search waits half a minute for its turn, as streams and jobs do for what it finds', async t => {
  const after = AbortSignal.timeout.bind(AbortSignal)
  const limits = t.capture(AbortSignal, 'timeout', after)
  t.equal(await new GitTurns().run(async () => {}, undefined), true)
  t.same(
    limits().map(({ args }) => args),
    [[30_000]],
  )
})
