import { test } from 'tap'
import { FaultlineError } from '../../../src/core/errors.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { openNode } from '../../helpers/cluster/open-node.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../../helpers/postgres.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'
import { testFolder } from '../../helpers/test-folder.ts'

test(
  'twenty jobs that are made at once on two nodes do not pass the limit',
  { skip: noPostgres(ANY_VERSION) },
  async t => {
    const server = await startPostgres()
    t.teardown(() => server.close())
    const definitions = { clone: scriptedJob(async (_context: JobContext) => null) }
    for (const { queueLimit, before } of [
      { queueLimit: 7, before: 0 },
      { queueLimit: 104, before: 95 },
      { queueLimit: 104, before: 0 },
    ]) {
      const url = await server.createDatabase()
      const root = testFolder(t)
      const nodes = await Promise.all(
        ['one', 'two'].map(name => openNode({ url, name, root, definitions, isWorker: false, queueLimit })),
      )
      const [one] = nodes
      for (let made = 0; made < before; made++) await one?.jobs.create('clone', {})
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const made = nodes[i % 2]?.jobs.create('clone', {})
          return await made?.then(
            () => 'made',
            (error: unknown) => (error instanceof FaultlineError ? error.code : error),
          )
        }),
      )
      const made = Math.min(20, queueLimit - before)
      t.equal(outcomes.filter(outcome => outcome === 'made').length, made)
      t.equal(outcomes.filter(outcome => outcome === 'QUEUE_FULL').length, 20 - made)
      const counted = await one?.db.query("SELECT count(*) AS n FROM jobs WHERE status = 'queued'")
      t.same(counted?.rows, [{ n: before + made }])
      await Promise.all(nodes.map(node => node.close()))
    }
  },
)
