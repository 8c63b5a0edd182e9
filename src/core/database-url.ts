/** What `sslmode` may be; `prefer` and `allow`, which fall back to no encryption in silence, are not among them. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]

/** What `target_session_attrs` may be; the words are those of libpq. */
const SESSION_ATTRIBUTES = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const
/** Which server of several is wanted. */
export type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number]

/** Where one server listens. */
export interface DatabaseHost {
  host: string
  port: number
}

/** A `DATABASE_URL`, taken apart. */
export interface DatabaseAddress {
  /** The servers that hold the same database, at least one: a primary and its standbys. */
  hosts: [DatabaseHost, ...DatabaseHost[]]
  user: string
  password: string
  database: string
  sslMode: SslMode
  /** Path of the file with the certificates that are trusted; null: those that Node trusts. */
  rootCertificate: string | null
  /** Null where the URL does not say. */
  sessionAttributes: SessionAttributes | null
}

const PARAMETERS = new Set(['sslmode', 'sslrootcert', 'target_session_attrs'])
const DEFAULT_PORT = 5432
const isSslMode = (value: string): value is SslMode => (SSL_MODES as readonly string[]).includes(value)
const isSessionAttributes = (value: string): value is SessionAttributes =>
  (SESSION_ATTRIBUTES as readonly string[]).includes(value)

/** One URL for each host of a list such as `one:5432,two:5433`; null for what is no URL. */
function urlsOf(text: string): [URL, ...URL[]] | null {
  const start = text.indexOf('://') + 3
  const length = text.slice(start).search(/[/?#]/)
  const end = length === -1 ? text.length : start + length
  const [before, behind] = [text.slice(0, start), text.slice(end)]
  const authority = text.slice(start, end)
  const hostsAt = authority.lastIndexOf('@') + 1
  const [first = '', ...others] = authority
    .slice(hostsAt)
    .split(',')
    .map(host => before + authority.slice(0, hostsAt) + host + behind)
  if ([first, ...others].some(url => !URL.canParse(url))) return null
  return [new URL(first), ...others.map(url => new URL(url))]
}

const hostOf = ({ hostname, port }: URL): DatabaseHost => ({
  host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''),
  port: port === '' ? DEFAULT_PORT : Number(port),
})

/**
 * Takes a URL apart. Several hosts stand beside each other as in libpq: `postgres://me@one:5432,two/shop`. Without
 * `sslmode` the connection is not encrypted, as on a host of one's own.
 *
 * @returns What is wrong with it, without its password, where it is none.
 */
export function readDatabaseUrl(text: string): DatabaseAddress | { problem: string } {
  const urls = urlsOf(text)
  if (urls === null) return { problem: 'it is no URL' }
  const [url, ...others] = urls
  const { protocol, username, password, pathname, searchParams } = url
  if (!/^postgres(?:ql)?:$/.test(protocol)) return { problem: `its scheme is ${protocol}` }
  const unknown = [...searchParams.keys()].find(name => !PARAMETERS.has(name))
  if (unknown !== undefined) return { problem: `it has the parameter ${JSON.stringify(unknown)}` }
  const database = decodeURIComponent(pathname.slice(1))
  if (urls.some(({ hostname }) => hostname === '') || username === '' || database === '') {
    return { problem: 'it names no host, user or database' }
  }
  const sslMode = searchParams.get('sslmode') ?? 'disable'
  if (!isSslMode(sslMode)) return { problem: `its sslmode is ${JSON.stringify(sslMode)}` }
  const sessionAttributes = searchParams.get('target_session_attrs')
  if (sessionAttributes !== null && !isSessionAttributes(sessionAttributes)) {
    return { problem: `its target_session_attrs is ${JSON.stringify(sessionAttributes)}` }
  }
  return {
    hosts: [hostOf(url), ...others.map(hostOf)],
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database,
    sslMode,
    rootCertificate: searchParams.get('sslrootcert'),
    sessionAttributes,
  }
}

/** How PostgreSQL is reached. */
export interface DatabaseSettings {
  /** `postgres://user:password@host:port,host:port/database?sslmode=…` */
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
