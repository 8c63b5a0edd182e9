import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import type { Config, Variables } from './config.ts'
import { keepCompiledCode, PACKAGE_ROOT } from './config/client.ts'
import { FaultlineError } from './core/errors.ts'
import { growSlowly } from './core/heap-growth.ts'
import { isProgram } from './core/node-version.ts'
import { openFileLimit } from './core/open-files.ts'
import type { ServiceOptions, Services } from './services/services.ts'

const STOP_LIMIT_MS = 10_000
const KEY_BYTES = 24
/** Time for the other nodes and a balancer to notice that a node hands over: both look every two seconds or so. */
const NOTICE_MS = 5_000
const DRAIN_LOOK_MS = 50
/** How long the first look at the machine may take: a busy one has much else to do at a start. */
const START_LOOK_MS = 60_000
/**
 * Time for answers under way; then connections are cut, also those that never sent a request, which Node takes for
 * busy.
 */
const CONNECTION_GRACE_MS = 2_000

/** The version of this package. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string }
  return version
}

/** How a server starts its threads; tests of what is killed start few. */
export type ServerOptions = Pick<ServiceOptions, 'starter'>

/** For `localhost` Fastify would open a second server, on ::1, whose connections nothing counts. */
const listenOn = (host: string): string => (host === 'localhost' ? '127.0.0.1' : host)

/** The loopback address to ask in place of one that stands for all those of a machine. */
const LOOPBACK_OF = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

/** Where programs of this machine reach a server, whatever address it listens on and others know it by. */
export function urlOnThisMachine({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const host = LOOPBACK_OF.get(address) ?? address
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Where other nodes reach a server that was not told its NODE_URL; null where that depends on who asks. */
export const urlForNodes = (address: Pick<AddressInfo, 'address' | 'port'>): string | null =>
  LOOPBACK_OF.has(address.address) ? null : urlOnThisMachine(address)

/** What is waited for when a node hands over to the others. */
interface HandingOver {
  services: Pick<Services, 'node' | 'jobs' | 'beginDraining'>
  requestsUnderWay: () => number
  timeoutMs: number
}

/**
 * Hands over to the other nodes: the row of this one says so, `/ready` is 503, jobs go back into the queue, streams of
 * jobs end; other requests are answered as ever. Resolves when the others and a balancer had time to notice and no
 * request is under way, or the time is over.
 */
async function handOver({ services, requestsUnderWay, timeoutMs }: HandingOver): Promise<void> {
  const startedAt = performance.now()
  const past = () => performance.now() - startedAt
  const noticeMs = services.node.roles.includes('http') ? NOTICE_MS : 0
  let isHandedOver = false
  const handedOver = () => {
    isHandedOver = true
  }
  // what fails here is heard of when the jobs are stopped
  Promise.all([services.beginDraining(), services.jobs.handOver()]).then(handedOver, handedOver)
  const isOver = () => isHandedOver && past() >= noticeMs && requestsUnderWay() === 0
  while (!isOver() && past() < timeoutMs) await wait(DRAIN_LOOK_MS)
}

/** A server that listens. */
export interface RunningServer {
  url: string
  /** Where others reach it. */
  publicUrl: string
  /** Resolves when the histories of what was cloned are there, which follow the index. */
  idle: () => Promise<void>
  /** @param why - What ends it, for the log. */
  close: (why?: string) => Promise<void>
  /** How long that takes at most. */
  stopLimitMs: number
  log: Logger
}

/**
 * An old git has holes, and without a sandbox nothing is executed: the operator should hear of it without asking
 * `/ready`.
 */
async function warnOfMachine(services: Services, config: Config, log: Logger): Promise<void> {
  const { git, sandbox } = await services.ready({ answerMs: START_LOOK_MS })
  if (git.warning !== null) log.warn({ git: git.version }, git.warning)
  if (!sandbox.available && config.sandbox.mode !== 'none') {
    log.warn({ fix: sandbox.fix }, `nothing will be executed: ${sandbox.reason ?? ''}`)
  }
}

/** How many clients are connected; 0 where that cannot be told. */
const connectionsOf = (server: Server): Promise<number> =>
  promisify(server.getConnections.bind(server))().catch(() => 0)

/** What a server that stops says first. */
function stoppingText(why: string, { jobs, connections }: { jobs: number; connections: number }): string {
  const runs = jobs === 1 ? '1 running job goes' : `${jobs} running jobs go`
  const open = connections === 1 ? '1 connection is' : `${connections} connections are`
  return `stopping (${why}): ${runs} back into the queue, ${open} answered or cut after ${CONNECTION_GRACE_MS / 1000} s`
}

/**
 * Starts the whole server: configuration, lock, services, HTTP. What it is made of is loaded here, so that its compiled
 * code is kept; a wrong setting is told of before the rest is loaded.
 *
 * @throws {FaultlineError} CONFIG_INVALID, DATA_DIR_LOCKED; a system error when the port is taken.
 */
export async function startServer(flags: Variables = {}, { starter }: ServerOptions = {}): Promise<RunningServer> {
  growSlowly('server')
  const { loadConfig } = await import('./config.ts')
  const config = loadConfig({ flags })
  const [{ createLogger }, { createServices }, { createApp }, { connectionsFor }] = await Promise.all([
    import('./services/logger.ts'),
    import('./services/services.ts'),
    import('./http/app.ts'),
    import('./http/connections.ts'),
  ])
  const connections = connectionsFor(openFileLimit(), config)
  const log = await createLogger(config)
  for (const notice of config.notices) log.warn(notice)
  const version = packageVersion()
  const services = await createServices(config, log, { starter, program: 'faultline serve', version })
  await using opened = new AsyncDisposableStack()
  opened.defer(services.close)
  services.sweep().catch(() => {}) // its threads start while routes are made; who waits for it hears of what fails
  const app = await createApp({
    services,
    auth: { apiKeys: config.apiKeys, host: config.host, allowedHosts: config.allowedHosts },
    version,
    publicUrl: config.publicUrl,
    logger: log,
    limits: { connections },
  })
  opened.defer(() => app.close())
  const url = await app.listen({ host: listenOn(config.host), port: config.port })
  const address = app.server.address() as AddressInfo
  services.announce(urlOnThisMachine(address))
  await services.start()
  const { cluster } = services.node
  await cluster?.registry.join(config.node.url ?? urlForNodes(address))
  opened.move()
  const failed = (what: string) => (error: unknown) => {
    if (!services.closing.aborted) log.error({ err: error }, what)
  }
  services.following.follower.start()
  services.warmUp().catch(failed('the threads could not be started'))
  warnOfMachine(services, config, log).catch(failed('the machine could not be looked at'))
  return {
    url,
    publicUrl: config.publicUrl ?? url,
    log,
    idle: services.idle,
    stopLimitMs: STOP_LIMIT_MS + (cluster === null ? 0 : config.node.drainTimeoutMs),
    async close(why = 'asked to') {
      const startedAt = performance.now()
      const waitsFor = { jobs: services.jobs.running(), connections: await connectionsOf(app.server) }
      log.info({ why, ...waitsFor }, stoppingText(why, waitsFor))
      if (cluster !== null) {
        const { drainTimeoutMs: timeoutMs } = config.node
        await handOver({ services, requestsUnderWay: app.requestsUnderWay, timeoutMs })
        await cluster.registry.leave()
      }
      services.beginClosing() // streams end and waiting clients are answered, so that the app can close
      const cut = setTimeout(() => app.server.closeAllConnections(), CONNECTION_GRACE_MS)
      // jobs first: they go back into the queue, however long connections take
      await Promise.all([services.jobs.stop(), app.close()])
      clearTimeout(cut)
      await services.close()
      log.info({ duration_ms: Math.round(performance.now() - startedAt) }, 'stopped')
    },
  }
}

/** The routes of this process, without a port. */
export interface ServerHere {
  /** Sends a message to `POST /mcp`. */
  post: (
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<{ status: number; contentType: string; body: string }>
  close: () => Promise<void>
}

/** How the routes of this process are opened. */
export interface HereOptions extends ServerOptions {
  /** Repositories of this machine that may be cloned, beside what the settings allow. */
  repositories: readonly string[]
  warn: (text: string) => void
}

/** A key of this process alone, by which its client may only read. */
function readingKey() {
  const key = randomBytes(KEY_BYTES).toString('hex')
  return {
    key: {
      name: 'mcp',
      sha256: createHash('sha256').update(key).digest(),
      access: { mayWrite: false, projects: null },
    },
    headers: { authorization: `Bearer ${key}` },
  }
}

const isLockedError = (error: unknown): boolean => error instanceof FaultlineError && error.code === 'DATA_DIR_LOCKED'

/**
 * Opens services and routes for one client in this process; nothing listens, so that no key is needed. While another
 * process holds the data folders, only what reads works.
 *
 * @throws {FaultlineError} CONFIG_INVALID
 */
export async function openHere(flags: Variables, { repositories, warn, starter }: HereOptions): Promise<ServerHere> {
  const { loadConfig } = await import('./config.ts')
  const config = loadConfig({ flags })
  const [{ createServices }, { createApp }, { findGitDirs }] = await Promise.all([
    import('./services/services.ts'),
    import('./http/app.ts'),
    import('./services/git-dirs.ts'),
  ])
  const gitDirs = await Promise.all(repositories.map(folder => findGitDirs(folder)))
  const found = gitDirs.flatMap(dirs => (dirs === null ? [] : [dirs.gitDir, dirs.commonDir]))
  const here = { ...config, allowLocalRepos: [...config.allowLocalRepos, ...repositories, ...found] }
  const say = (context: object, message: string): void => {
    const { err } = context as { err?: unknown }
    warn(err instanceof Error ? `${message}: ${err.message}` : message)
  }
  const version = packageVersion()
  const open = (readOnly: boolean) =>
    createServices(
      here,
      { info: () => {}, warn: say, error: say },
      { starter, program: 'faultline mcp', version, readOnly },
    )
  let isReadOnly = false
  const services = await open(false).catch((error: unknown) => {
    if (!isLockedError(error)) throw error
    isReadOnly = true
    warn(
      'Another process holds the data folder: only tools that read work. With "faultline serve" all clients share one.',
    )
    return open(true)
  })
  const reader = isReadOnly ? readingKey() : null
  await using opened = new AsyncDisposableStack()
  opened.defer(services.close)
  const app = await createApp({
    services,
    auth: { apiKeys: reader === null ? [] : [reader.key], host: config.host, allowedHosts: config.allowedHosts },
    version,
    publicUrl: config.publicUrl,
  })
  opened.defer(() => app.close())
  if (!isReadOnly) await services.start()
  const parts = opened.move()
  return {
    async post(body, headers, signal) {
      const {
        statusCode,
        headers: answered,
        body: text,
      } = await app.inject({
        method: 'POST',
        url: '/mcp',
        payload: body,
        headers: { ...headers, ...reader?.headers, host: 'localhost' },
        signal,
      })
      return { status: statusCode, contentType: String(answered['content-type'] ?? ''), body: text }
    },
    async close() {
      services.beginClosing()
      await services.jobs.stop()
      await parts.disposeAsync()
    },
  }
}

/** Stops at the first SIGTERM or SIGINT, gives up at the second or when it takes too long. */
function stopOnSignal({ log, close, stopLimitMs }: RunningServer): void {
  let stopping = false
  const stop = (signal: string) => {
    const giveUp = (why: string) => {
      log.warn({ signal }, `stopped at once: ${why}; what was running goes on after the next start`)
      process.exit(1)
    }
    if (stopping) return giveUp('a second signal came')
    stopping = true
    setTimeout(() => giveUp(`not everything had ended after ${stopLimitMs / 1000} s`), stopLimitMs).unref()
    close(signal).then(
      () => process.exit(0),
      error => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function startFailure(error: unknown): string {
  if (error instanceof FaultlineError) return [error.message, error.fix].filter(text => text !== undefined).join(' ')
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') return `port ${port} is taken. Set PORT to a free one.`
  if (code === 'EACCES' && port !== undefined) return `port ${port} needs more rights. Set PORT to one above 1023.`
  if (!(error instanceof Error)) return String(error)
  return error.stack ?? error.message
}

/** Runs the server until a signal ends it; used by `npm start` and `faultline serve`. */
export async function serve(flags: Variables = {}, options: ServerOptions = {}): Promise<void> {
  try {
    const server = await startServer(flags, options)
    stopOnSignal(server)
    process.stderr.write(`Faultline listens on ${server.url}; try it at ${server.publicUrl}/docs\n`)
  } catch (error) {
    process.stderr.write(`faultline: ${startFailure(error)}\n`)
    process.exitCode = 1
  }
}

if (isProgram(import.meta)) {
  keepCompiledCode()
  await serve()
}
