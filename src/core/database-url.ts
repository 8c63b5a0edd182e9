/** What `sslmode` may be; `prefer` and `allow`, which fall back to no encryption in silence, are not among them. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]

/** A `DATABASE_URL`, taken apart. */
export interface DatabaseAddress {
  host: string
  port: number
  user: string
  password: string
  database: string
  sslMode: SslMode
  /** Path of the file with the certificates that are trusted; null: those that Node trusts. */
  rootCertificate: string | null
}

const PARAMETERS = new Set(['sslmode', 'sslrootcert'])
const DEFAULT_PORT = 5432

const isSslMode = (value: string): value is SslMode => (SSL_MODES as readonly string[]).includes(value)

/**
 * Takes a URL apart. Without `sslmode` the connection is not encrypted, as on a host of one's own.
 *
 * @returns What is wrong with it, without its password, where it is none.
 */
export function readDatabaseUrl(text: string): DatabaseAddress | { problem: string } {
  if (!URL.canParse(text)) return { problem: 'it is no URL' }
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(text)
  if (!/^postgres(?:ql)?:$/.test(protocol)) return { problem: `its scheme is ${protocol}` }
  const unknown = [...searchParams.keys()].find(name => !PARAMETERS.has(name))
  if (unknown !== undefined) return { problem: `it has the parameter ${JSON.stringify(unknown)}` }
  const database = decodeURIComponent(pathname.slice(1))
  if (hostname === '' || username === '' || database === '') return { problem: 'it names no host, user or database' }
  const sslMode = searchParams.get('sslmode') ?? 'disable'
  if (!isSslMode(sslMode)) return { problem: `its sslmode is ${JSON.stringify(sslMode)}` }
  return {
    host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''),
    port: port === '' ? DEFAULT_PORT : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database,
    sslMode,
    rootCertificate: searchParams.get('sslrootcert'),
  }
}

/** How PostgreSQL is reached. */
export interface DatabaseSettings {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  url: string
  /** A replica, for lists; null: there is none. */
  readUrl: string | null
  /** The schema that holds all tables. */
  schema: string
  /** Connections that this process opens at most, to each of both. */
  poolSize: number
  connectTimeoutMs: number
  /** After this time the database gives a statement up. */
  statementTimeoutMs: number
  /** Whether a start brings the schema up to date; otherwise `faultline migrate` does. */
  migratesAtStart: boolean
}
