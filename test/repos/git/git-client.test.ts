import { test } from 'tap'
import { readdirSync } from 'node:fs'
import { eventually, processesWith } from '../../helpers/processes.ts'
import { withServer } from '../sync-from-server.ts'

test('an abort during a fetch leaves no process and no file, and the next sync works', async t => {
  const { server, url, sync, clones, remote } = await withServer(t, { stall: true })
  const controller = new AbortController()
  const running = sync(url, { signal: controller.signal })
  await server.stalled
  t.ok(
    processesWith(url).some(command => command.includes('remote-http')),
    'the helper is at work',
  )
  controller.abort(new Error('stop'))
  await t.rejects(running, { message: 'stop' })
  t.ok(await eventually(() => processesWith(url).length === 0), processesWith(url).join('\n'))
  t.same(
    readdirSync(clones).filter(name => name !== '.faultline'),
    [],
  )

  server.behaviour = {}
  await sync(url)
  server.behaviour = { stall: true }
  remote.commit({ a: '2' })
  const again = new AbortController()
  const updating = sync(url, { signal: again.signal })
  t.ok(await eventually(() => server.requests.filter(({ gitCommand }) => gitCommand === 'fetch').length >= 3))
  again.abort(new Error('stop'))
  await t.rejects(updating, { message: 'stop' })
  server.behaviour = {}
  t.ok(await sync(url), 'no lock file is in the way')
})
