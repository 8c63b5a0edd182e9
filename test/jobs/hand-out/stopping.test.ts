import { test } from 'tap'
import { openNode } from '../../helpers/cluster/open-node.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../../helpers/postgres.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'
import { testFolder } from '../../helpers/test-folder.ts'

test(
  'a job that a stopping node had taken, and not begun, stays in the queue',
  { skip: noPostgres(ANY_VERSION) },
  async t => {
    const server = await startPostgres()
    t.teardown(() => server.close())
    const url = await server.createDatabase()
    const root = testFolder(t)
    const definitions = { clone: scriptedJob(async () => null) }
    const front = await openNode({ url, name: 'front', root, definitions, isWorker: false })
    t.teardown(() => front.close())
    const asked = Promise.withResolvers<void>()
    const room = Promise.withResolvers<null>()
    let looks = 0
    const worker = await openNode({
      url,
      name: 'worker',
      root,
      definitions,
      concurrency: 1,
      diskRoom: {
        // the first look is for its place
        async refusal() {
          if (++looks === 1) return null
          asked.resolve()
          return await room.promise
        },
        async requireForReply() {},
      },
    })
    const { id } = (await front.jobs.create('clone', {})).job
    await asked.promise
    const closed = worker.close()
    room.resolve(null)
    await closed
    t.match(await front.jobs.get(id), { status: 'queued' })
    const { rows } = await front.db.query(
      `SELECT state FROM faultline_queue.job JOIN jobs ON (data->>'seq')::bigint = seq WHERE jobs.id = $1`,
      [id],
    )
    t.match(rows, [{ state: /^(?:created|retry|active)$/ }])
  },
)
