import { test } from 'tap'
import { eventually, processesWith, processGroup } from '../../helpers/processes.ts'
import { inJail, testSandbox } from '../../helpers/sandbox.ts'

test('what a terminal sends to the server does not reach its programs', inJail, async t => {
  const { run } = await testSandbox(t)
  const marker = `98765.${process.pid}5`
  const abort = new AbortController()
  const ended = run(['/usr/bin/sleep', marker], { signal: abort.signal })
  t.ok(await eventually(() => processesWith(marker).length > 0))
  for (const line of processesWith(marker)) t.not(processGroup(Number.parseInt(line, 10)), processGroup(process.pid))
  abort.abort()
  t.match(await ended, { killedBy: 'cancelled' })
  t.ok(await eventually(() => processesWith(marker).length === 0), 'it ends with its run')
})
