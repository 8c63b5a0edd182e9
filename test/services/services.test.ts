import { test, type Test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { createServices } from '../../src/services/services.ts'
import { testFolder } from '../helpers/test-folder.ts'

/** Makes services in one folder, as often as its lock lets it. */
function opener(t: Test) {
  const config = loadConfig({ root: testFolder(t), env: { LOG_LEVEL: 'silent' } })
  const note = (): void => {}
  return () => createServices(config, { info: note, warn: note, error: note })
}

test('to close services again is the same once', async t => {
  const open = opener(t)
  const services = await open()
  await Promise.all([services.close(), services.close()])
  await services.close()
  await (await open()).close()
})

test('a part that cannot be closed is told of, and keeps neither the others open nor the lock', async t => {
  const open = opener(t)
  const services = await open()
  services.jobs.stop = () => Promise.reject(new Error('cannot stop'))
  await t.rejects(services.close(), { message: 'cannot stop' })
  await t.rejects(services.jobs.list({}, 1, null), { message: /not open|finalized/ })
  const file = { repository: 'shop', commit: 'a'.repeat(40), path: 'a.py' }
  await t.rejects(services.readCommitted(file), { code: 'SHUTTING_DOWN' })
  await (await open()).close()
})
