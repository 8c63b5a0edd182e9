import { test } from 'tap'
import { openReplicas } from '../../src/services/replicas.ts'

test('what nodes share needs a database and an object store', async t => {
  const message = 'there is no database for several nodes'
  for (const config of [
    { objectStore: null, database: null },
    { objectStore: {}, database: null },
    { objectStore: null, database: {} },
  ]) {
    await t.rejects(openReplicas(config as never, { shared: {}, local: {} } as never), { message })
  }
})
