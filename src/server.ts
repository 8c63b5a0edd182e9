import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { pino, Logger } from 'pino'
import type { Config, Variables } from './config.ts'
import { keepCompiledCode, PACKAGE_ROOT } from './config/client.ts'
import { FaultlineError } from './core/errors.ts'
import { isProgram } from './core/node-version.ts'
import { openFileLimit } from './core/open-files.ts'
import type { redactTexts, ServiceOptions, Services } from './services/services.ts'

const STOP_LIMIT_MS = 10_000
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

/**
 * Keys and tokens never reach the log: neither under their names nor within what an error says. Requests are logged
 * without query and body, which may hold code.
 */
function createLogger(parts: { pino: typeof pino; redactTexts: typeof redactTexts }, config: Config): Logger {
  return parts.pino({
    level: config.logLevel,
    redact: [
      'req.headers.authorization',
      'req.headers.cookie',
      'req.headers["x-api-key"]',
      '*.token',
      '*.password',
      '*.apiKey',
      '*.authorization',
    ],
    serializers: {
      req: (request: { method: string; url: string; ip?: string }) => ({
        method: request.method,
        path: request.url.split('?', 1)[0],
        ip: request.ip,
      }),
      err: (error: Error) => parts.redactTexts<unknown>(parts.pino.stdSerializers.err(error)),
      detail: parts.redactTexts<unknown>,
      fix: parts.redactTexts<unknown>,
    },
  })
}

/** How a server starts its threads; tests of what is killed start few. */
export type ServerOptions = Pick<ServiceOptions, 'starter'>

/** For `localhost` Fastify would open a second server, on ::1, whose connections nothing counts. */
const listenOn = (host: string): string => (host === 'localhost' ? '127.0.0.1' : host)

/** A server that listens. */
export interface RunningServer {
  url: string
  close: () => Promise<void>
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

/**
 * Starts the whole server: configuration, lock, services, HTTP. What it is made of is loaded here, so that its compiled
 * code is kept; a wrong setting is told of before the rest is loaded.
 *
 * @throws {FaultlineError} CONFIG_INVALID, DATA_DIR_LOCKED; a system error when the port is taken.
 */
export async function startServer(flags: Variables = {}, { starter }: ServerOptions = {}): Promise<RunningServer> {
  const { loadConfig } = await import('./config.ts')
  const config = loadConfig({ flags })
  const [{ pino }, { createServices, redactTexts }, { createApp }, { connectionsFor }] = await Promise.all([
    import('pino'),
    import('./services/services.ts'),
    import('./http/app.ts'),
    import('./http/connections.ts'),
  ])
  const connections = connectionsFor(openFileLimit(), config)
  const log = createLogger({ pino, redactTexts }, config)
  for (const notice of config.notices) log.warn(notice)
  const services = await createServices(config, log, { starter })
  await using opened = new AsyncDisposableStack()
  opened.defer(services.close)
  const app = await createApp({
    services,
    auth: { apiKeys: config.apiKeys, host: config.host, allowedHosts: config.allowedHosts },
    version: packageVersion(),
    logger: log,
    limits: { connections },
  })
  opened.defer(() => app.close())
  const url = await app.listen({ host: listenOn(config.host), port: config.port })
  services.announce(url)
  await services.start()
  opened.move()
  const failed = (what: string) => (error: unknown) => {
    if (!services.closing.aborted) log.error({ err: error }, what)
  }
  services.warmUp().catch(failed('the threads could not be started'))
  warnOfMachine(services, config, log).catch(failed('the machine could not be looked at'))
  return {
    url,
    async close() {
      services.beginClosing() // streams end and waiting clients are answered, so that the app can close
      const cut = setTimeout(() => app.server.closeAllConnections(), CONNECTION_GRACE_MS)
      // jobs first: they go back into the queue, however long connections take
      await Promise.all([services.jobs.stop(), app.close()])
      clearTimeout(cut)
      await services.close()
    },
  }
}

/** Stops at the first SIGTERM or SIGINT, gives up at the second or after ten seconds. */
function stopOnSignal(server: RunningServer): void {
  let stopping = false
  const stop = () => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref()
    server.close().then(
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
    process.stderr.write(`Faultline listens on ${server.url}; try it at ${server.url}/docs\n`)
  } catch (error) {
    process.stderr.write(`faultline: ${startFailure(error)}\n`)
    process.exitCode = 1
  }
}

if (isProgram(import.meta)) {
  keepCompiledCode()
  await serve()
}
