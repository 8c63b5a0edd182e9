import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'tap'
import { openDatabase } from '../src/postgres/pool.ts'
import { jobKillRounds } from './helpers/job-kill-rounds.ts'
import { api } from './helpers/kill-rounds.ts'
import { ANY_VERSION, databaseSettings, noPostgres, startPostgres } from './helpers/postgres.ts'
import { eventually } from './helpers/processes.ts'
import { roundsOf } from './helpers/property-runs.ts'
import { createCli } from './helpers/run-cli.ts'
import { startServerProcess } from './helpers/server-process.ts'
import { testFolder } from './helpers/test-folder.ts'

const options = { skip: noPostgres(ANY_VERSION), timeout: 600_000 }

interface Check {
  name: string
  status: string
}

/** What `faultline doctor` says of the database. */
async function databaseChecks(cli: ReturnType<typeof createCli>, env: Record<string, string>): Promise<Check[]> {
  const { stdout } = await cli.run(['doctor', '--json', '--no-server'], { env })
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  return checks.filter(({ name }) => name === 'database').map(({ name, status }) => ({ name, status }))
}

test(
  'kill -9 of a server over PostgreSQL loses no job, doubles none and repeats no finished step',
  options,
  async t => {
    const postgres = await startPostgres()
    t.teardown(() => postgres.close())
    const url = await postgres.createDatabase()
    const db = openDatabase(databaseSettings(url), { name: t.name, onError() {} })
    t.teardown(() => db.close())
    const root = mkdtempSync('/var/tmp/faultline-kill-')
    t.teardown(() => rm(root, { recursive: true, force: true }))
    const states = async (known: number) => {
      const { rows } = await db.query('SELECT type, status FROM jobs ORDER BY seq OFFSET $1', [known])
      return rows.map(({ type, status }) => `${String(type)} ${String(status)}`).sort()
    }
    const rounds = jobKillRounds(root, { rounds: roundsOf(4), seed: 20261126, database: { url, states } })
    for await (const { killedDuring, problems } of rounds) t.same(problems, [], `killed during ${killedDuring.join()}`)
    t.equal(existsSync(join(root, 'data', 'jobs.sqlite')), false, 'the tables lie in the database alone')
  },
)

test('/ready and doctor say whether the database answers, and the server goes on when it is back', options, async t => {
  const postgres = await startPostgres(ANY_VERSION, { durable: true })
  t.teardown(() => postgres.close())
  const env = { DATABASE_URL: await postgres.createDatabase(), DATABASE_CONNECT_TIMEOUT_S: '1' }
  const root = testFolder(t)
  const server = await startServerProcess(root, env)
  t.teardown(() => server.end('SIGKILL'))
  const ready = async () =>
    (await (await fetch(`${server.url}/ready`)).json()) as {
      ready: boolean
      database?: { kind: string; status: string }
    }
  t.match(await ready(), { ready: true, database: { kind: 'postgresql', status: 'ok' } })
  const cli = createCli(root)
  t.same(await databaseChecks(cli, env), [{ name: 'database', status: 'ok' }])
  await postgres.crash()
  t.match(await ready(), { ready: false, database: { status: 'unavailable' } })
  t.match((await fetch(`${server.url}/jobs`)).status, 503)
  await postgres.start()
  t.ok(await eventually(async () => (await ready()).ready))
  t.match(await api(server, 'GET', '/jobs'), { data: [] })
})

test('faultline migrate brings a schema up to date, and says before what it would do', options, async t => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.close())
  const env = { DATABASE_URL: await postgres.createDatabase(), DATABASE_SCHEMA: 'ours', DATABASE_MIGRATE: 'false' }
  const cli = createCli(testFolder(t))
  const migrate = (...args: string[]) => cli.run(['migrate', ...args], { env })
  t.match(await migrate('--check'), { exitCode: 1, stdout: /version 0\. To be applied:\n {2}jobs\n {2}resolutions/ })
  t.same(await databaseChecks(cli, env), [{ name: 'database', status: 'missing' }])
  const applied = await migrate('--json')
  t.equal(applied.exitCode, 0)
  t.match(JSON.parse(applied.stdout), { schema: 'ours', applied: ['jobs', 'resolutions'], pending: [] })
  t.match(await migrate('--check'), { exitCode: 0, stdout: /nothing to do/ })
  t.match(await migrate(), { exitCode: 0, stdout: /nothing to do/ })
  t.match(await cli.run(['migrate']), { exitCode: 2, stderr: /No DATABASE_URL is set/ })
})
