import pg, { type ClientConfig, type Pool, type PoolClient, type PoolConfig } from 'pg'
import { isDatabaseAway, UnknownOutcomeError } from '../core/database-away.ts'
import {
  readDatabaseUrl,
  type DatabaseAddress,
  type DatabaseSettings,
  type SessionAttributes,
} from '../core/database-url.ts'
import { FaultlineError } from '../core/errors.ts'
import { begin, commit } from './commit.ts'
import type { Database, Queryable, QueryResult } from './database.ts'
import { clientsOf, HostChoice } from './hosts.ts'
import { createStatements, OUTDATED, preparingClients, type Statements } from './prepared.ts'
import { createReads } from './reads.ts'
import { fromStoredText, toStoredValue } from './text.ts'
import { tlsOptions } from './tls.ts'
import { codeOf, worded } from './trouble.ts'

/**
 * A transaction that does nothing for this long is given up by the database: with its default, which is never, a worker
 * that was cut off between a lock and its commit holds up its successor, and may commit long after.
 */
const IDLE_IN_TRANSACTION_MS = 3_000
const IDLE_CONNECTION_MS = 30_000
const KEEP_ALIVE_MS = 5_000
/** How often a transaction that the database gave up for another one is begun again. */
const MAX_TRIES = 5

const INT8 = 20
const TEXT = 25
const TEXTS: number = 1009
const NUMERIC = 1700
const TIMESTAMPTZ = 1184

/** Errors after which a transaction is run again: another one had to go on, or its statements are prepared anew. */
const GIVEN_UP = new Set(['40001', '40P01', OUTDATED])
const parsers: PoolConfig['types'] = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === TEXT) return fromStoredText
    if (oid === INT8 || oid === NUMERIC) return Number
    if (oid === TIMESTAMPTZ) return (text: string) => new Date(text).toISOString()
    if (oid === TEXTS) {
      const parse = pg.types.getTypeParser(oid, 'text') as (text: string) => Array<string | null>
      return (text: string) => parse(text).map(one => (one === null ? null : fromStoredText(one)))
    }
    return format === undefined ? pg.types.getTypeParser(oid) : pg.types.getTypeParser(oid, 'text')
  },
}

/** Which servers a process uses, the same for all of its connections. */
interface Choices {
  write: HostChoice
  read: HostChoice
}
const choicesOf = new WeakMap<DatabaseSettings, Choices>()

type Use = keyof Choices

function addressOf(settings: DatabaseSettings, use: Use): DatabaseAddress {
  const { url, readUrl } = settings
  const address = readDatabaseUrl(use === 'read' && readUrl !== null ? readUrl : url)
  if ('problem' in address) throw new FaultlineError('CONFIG_INVALID', `DATABASE_URL: ${address.problem}.`)
  return address
}

/** What all connections have in common, whichever server they go to. */
function commonConfig(address: DatabaseAddress, settings: DatabaseSettings): ClientConfig {
  const { user, password, database } = address
  return {
    ...{ user, password, database, ssl: tlsOptions(address) },
    connectionTimeoutMillis: settings.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
}

function createChoice(settings: DatabaseSettings, use: Use): HostChoice {
  const address = addressOf(settings, use)
  const usual: SessionAttributes = address.hosts.length === 1 || use === 'read' ? 'any' : 'read-write'
  const wanted = address.sessionAttributes ?? usual
  const timeMs = Math.ceil(settings.connectTimeoutMs / 2) // the other half is for the connection itself
  return new HostChoice(address, wanted, {
    ...commonConfig(address, settings),
    application_name: 'faultline looks',
    connectionTimeoutMillis: timeMs,
    query_timeout: timeMs,
  })
}

function choiceOf(settings: DatabaseSettings, use: Use): HostChoice {
  const choices = choicesOf.get(settings) ?? {
    write: createChoice(settings, 'write'),
    read: createChoice(settings, 'read'),
  }
  choicesOf.set(settings, choices)
  return choices[use]
}

function poolConfig(settings: DatabaseSettings, name: string, use: Use): PoolConfig {
  const address = addressOf(settings, use)
  const [{ host, port }] = address.hosts
  return {
    ...commonConfig(address, settings),
    ...{ host, port, types: parsers },
    Client: clientsOf(choiceOf(settings, use)),
    application_name: name,
    max: settings.poolSize,
    statement_timeout: settings.statementTimeoutMs,
    // beside the limit of the server, for one that went away without a word
    query_timeout: settings.statementTimeoutMs + settings.connectTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    options: `-c search_path=${settings.schema} -c timezone=UTC`,
  }
}

/**
 * The configuration of a pool beside this one; it names the class of its clients, which choose among hosts and prepare
 * what comes often.
 */
export function clientConfig(settings: DatabaseSettings, name: string): PoolConfig {
  const config = poolConfig(settings, name, 'write')
  const options = `${config.options} -c plan_cache_mode=force_generic_plan` // each finds its rows by a key
  return { ...config, options, Client: preparingClients(clientsOf(choiceOf(settings, 'write'))) }
}

/** One connection beside the pool, which is still to be opened. */
export function createClient(
  settings: DatabaseSettings,
  { name, ...more }: Pick<ClientConfig, 'query_timeout' | 'statement_timeout'> & { name: string },
): pg.Client {
  const Client = clientsOf(choiceOf(settings, 'write'))
  return new Client({ ...poolConfig(settings, name, 'write'), ...more })
}

/** Cuts what was connected before a time of `performance.now()`; connections to a replica stay. */
export const leaveServer = (settings: DatabaseSettings, before: number): void =>
  choiceOf(settings, 'write').leaveBefore(before)

/** Sends a statement, prepared if it comes often. */
async function send(
  to: Pool | PoolClient,
  statements: Statements | null,
  text: string,
  values: readonly unknown[] = [],
): Promise<QueryResult> {
  try {
    const statement = values.length === 0 || statements === null ? { text } : statements.of(text)
    const { rows, rowCount } = await to.query<Record<string, unknown>>(statement, values.map(toStoredValue))
    return { rows, count: rowCount ?? 0 }
  } catch (error) {
    if (codeOf(error) === OUTDATED) statements?.forget(text)
    throw worded(error)
  }
}

/** Statements that are a transaction each. */
const alone = (pool: Pool, statements: Statements | null): Queryable => ({
  async query(text, values) {
    try {
      return await send(pool, statements, text, values)
    } catch (error) {
      if (codeOf(error) !== OUTDATED) throw error
      return await send(pool, statements, text, values)
    }
  },
})

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw worded(error)
  }
}

/** Finds out at once what became of a commit, where the database can be reached. */
async function settleNow<T>(error: UnknownOutcomeError): Promise<T> {
  const outcome = await error.settle().catch(() => {
    throw error
  })
  if (outcome === null) throw error.cause
  return outcome.result as T
}

/** One try of a transaction; a connection whose state is not known does not go back to the pool. */
async function attempt<T>(pool: Pool, statements: Statements, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await connect(pool)
  let isBroken: boolean | undefined
  const broke = () => {
    isBroken = true
  }
  client.on('error', broke) // while it is out of the pool nobody else listens
  try {
    const begun = await begin(client)
    const result = await work({ query: (text, values) => send(client, statements, text, values) })
    return await commit(alone(pool, statements), client, begun, result)
  } catch (error) {
    if (isDatabaseAway(error)) broke()
    else await client.query('ROLLBACK').catch(broke)
    throw error
  } finally {
    client.off('error', broke)
    client.release(isBroken)
  }
}

function openPool(config: PoolConfig, onError: (error: unknown) => void): Pool {
  const pool = new pg.Pool(config)
  pool.on('error', error => onError(worded(error))) // of a connection that nobody uses; the pool drops it
  return pool
}

/**
 * Opens a pool; connections are made when they are needed.
 *
 * @param name - What the database shows of this process.
 * @param onError - Hears of connections that broke while nobody used them.
 */
export function openDatabase(
  settings: DatabaseSettings,
  { name, onError }: { name: string; onError: (error: unknown) => void },
): Database {
  const pool = openPool(poolConfig(settings, name, 'write'), onError)
  const replica = settings.readUrl === null ? null : openPool(poolConfig(settings, name, 'read'), onError)
  const statements = createStatements()
  const primary = alone(pool, statements)
  // lists have many forms, and their best plan depends on who asks for what
  const lists = alone(pool, null)
  const readsFrom = (from: Pool): Queryable =>
    createReads({ ...alone(from, null), cut: () => choiceOf(settings, 'read').leaveBefore(performance.now()) }, lists)
  return {
    ...primary,
    reads: replica === null ? lists : readsFrom(replica),
    async transaction(work) {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt(pool, statements, work)
        } catch (error) {
          if (error instanceof UnknownOutcomeError) return settleNow(error)
          if (tries === MAX_TRIES || !GIVEN_UP.has(codeOf(error))) throw error
        }
      }
    },
    async close() {
      await Promise.all([pool.end(), replica?.end()])
    },
  }
}
