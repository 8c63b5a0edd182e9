import { test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { cliFolder } from '../../helpers/cli-folder.ts'
import { startNodes } from '../../helpers/cluster.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../../helpers/postgres.ts'

test('a process that works alone is the whole cluster', async t => {
  const { cli, data } = cliFolder(t)
  const shown = await cli.call(['cluster', ...data])
  t.equal(shown.exitCode, EXIT.done)
  t.match(shown.stdout, /^node .*\n\S+ \* +http, worker +alive +0 of 4 /)
  t.match(shown.stdout, /\nQueue: 0 jobs queued, 0 running, 0 waiting for a person\.\nDatabase: SQLite, ok\.\n$/)
})

test('the nodes of a server are listed with what they do', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const [one] = await startNodes(t, server, { one: {}, two: { env: { ROLE: 'worker' } } })
  if (one === undefined) throw new Error('no node')
  const { cli } = cliFolder(t)
  const ask = (...args: string[]) => cli.call(['cluster', '--server', one.url, ...args])
  t.match(
    (await ask()).stdout,
    /\none \* +http, worker +alive .*\ntwo +worker +alive .*\n\nQueue: .*\nDatabase: Postgre/,
  )
  const answer = JSON.parse((await ask('--json')).stdout)
  t.match(answer, {
    nodes: [
      { name: 'one', self: true, alive: true, draining: false, load: { job_slots: 4, running_jobs: 0 } },
      { name: 'two', self: false, roles: ['worker'], heartbeat_age_s: Number, load: { projects_cached: 0 } },
    ],
    database: { kind: 'postgresql', status: 'ok' },
    queue: { queued: 0, running: 0, waiting: 0, oldest_s: null },
  })
  t.equal(answer.nodes[0].schema_version, answer.database.schema_version)
})
