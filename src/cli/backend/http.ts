import { openAsBlob } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditPage } from '../../contract/audit.ts'
import type { JobAnswer, JobEventAnswer, JobFileAnswer } from '../../contract/job.ts'
import { PIPELINE_PATHS } from '../../contract/job-names.ts'
import type { ProjectAnswer, SearchAnswer } from '../../contract/project.ts'
import type { LocatedAnswer, ParseAnswer, ResolutionAnswer } from '../../contract/resolution.ts'
import { ERROR_CODES, FaultlineError, type ErrorCode } from '../../core/errors.ts'
import { isTerminal } from '../../core/job.ts'
import type { DryRunAnswer } from '../../contract/dry-run.ts'
import type { Readiness } from '../../contract/readiness.ts'
import type { Backend, Page, PipelineType } from './backend.ts'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT, exitCodeFor } from '../exit-codes.ts'
import { readEvents } from './sse.ts'

const POLL_MS = 300
const KNOWN_CODES: ReadonlySet<string> = new Set(ERROR_CODES)

/** The server, and the key to authenticate with. */
interface HttpOptions {
  server: string
  apiKey?: string
}

interface CallOptions {
  query?: Record<string, string | number | undefined>
  body?: object
  /** Sent as it is in place of a body. */
  file?: Blob
  accept?: string
  signal?: AbortSignal
}

/** Below the server's URL, whose path may be longer than a slash. */
const pathOf = (type: PipelineType): string => `.${PIPELINE_PATHS[type]}`

/** The server's URL with a slash at the end, so that paths are appended and do not replace its last part. */
function serverUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError(`--server ${JSON.stringify(given)} is not an http(s) URL.`, 'Write it as http://127.0.0.1:8000.')
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('The URL of --server holds credentials.', 'Give the key with --api-key or FAULTLINE_API_KEY.')
  }
  url.search = ''
  url.hash = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

/** The server's error, as far as this version knows its code. */
function errorFrom({ code, detail, fix }: Problem): FaultlineError | CliError {
  const message = typeof detail === 'string' ? detail : 'The server gave no reason.'
  const hint = typeof fix === 'string' ? fix : undefined
  const name = typeof code === 'string' ? code : 'INTERNAL'
  return KNOWN_CODES.has(name)
    ? new FaultlineError(name as ErrorCode, message, hint)
    : new CliError(name, message, { fix: hint, exitCode: exitCodeFor(name) })
}

const notFaultline = (base: URL, cause?: unknown): CliError =>
  new CliError('NOT_A_FAULTLINE_SERVER', `What answers at ${base.origin} is not a Faultline server.`, {
    fix: 'Check --server.',
    exitCode: EXIT.missing,
    cause,
  })

async function problemOf(response: Response, base: URL): Promise<Error> {
  if (!/^application\/problem\+json\b/.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel()
    return notFaultline(base)
  }
  try {
    return errorFrom((await response.json()) as Problem)
  } catch (error) {
    return notFaultline(base, error)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function unreachable(base: URL, error: unknown): CliError {
  const { cause } = error as { cause?: { code?: string; message?: string } }
  const reason = cause?.code ?? cause?.message ?? messageOf(error)
  return new CliError('SERVER_UNREACHABLE', `No server answers at ${base.origin}: ${reason}.`, {
    fix: 'Start one with "faultline serve", check --server, or leave it out to work without a server.',
    exitCode: EXIT.missing,
    cause: error,
  })
}

/** A running server as a backend. Its problems become errors with the same code and fix. */
export function createHttpBackend({ server, apiKey }: HttpOptions): Backend {
  const base = serverUrl(server)

  async function send(
    method: string,
    path: string,
    { query = {}, body, file, accept = 'application/json', signal }: CallOptions,
  ): Promise<Response> {
    const url = new URL(path, base)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const headers = new Headers({ accept })
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    if (body !== undefined) headers.set('content-type', 'application/json')
    let response: Response
    try {
      response = await fetch(url, {
        method,
        headers,
        body: body === undefined ? file : JSON.stringify(body),
        signal,
        redirect: 'error',
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw unreachable(base, error)
    }
    if (!response.ok) throw await problemOf(response, base)
    return response
  }

  async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const response = await send(method, path, options)
    if (response.status === 204) return undefined as T
    try {
      return (await response.json()) as T
    } catch (error) {
      options.signal?.throwIfAborted()
      throw notFaultline(base, error)
    }
  }

  const job = (id: string, suffix = '') => `jobs/${encodeURIComponent(id)}${suffix}`
  const project = (name: string, suffix = '') => `projects/${encodeURIComponent(name)}${suffix}`

  return {
    clone: body => call<JobAnswer>('POST', 'clone', { body }),
    upload: async (name, file, { include, exclude, ...options }, signal) =>
      call<JobAnswer>('POST', project(name, '/upload'), {
        query: { ...options, include: include?.join(','), exclude: exclude?.join(',') },
        file: await openAsBlob(file),
        signal,
      }),
    startPipeline: (type, body) => call<JobAnswer>('POST', pathOf(type), { body }),
    dryRun: (type, body) => call<DryRunAnswer>('POST', pathOf(type), { body: { ...body, dry_run: true } }),
    listJobs: query => call<Page<JobAnswer>>('GET', 'jobs', { query: { ...query } }),
    getJob: id => call<JobAnswer>('GET', job(id)),
    jobEvents: (id, after) => call<{ data: JobEventAnswer[] }>('GET', job(id, '/events'), { query: { after } }),
    cancelJob: id => call<JobAnswer>('POST', job(id, '/cancel')),
    replyToJob: (id, body) => call<JobAnswer>('POST', job(id, '/reply'), { body }),
    jobFiles: id => call<{ data: JobFileAnswer[] }>('GET', job(id, '/files')),
    readJobFile: async (id, path) =>
      Buffer.from(
        await (
          await send('GET', job(id, `/files/${path.split('/').map(encodeURIComponent).join('/')}`), { accept: '*/*' })
        ).arrayBuffer(),
      ),
    jobDiff: async id => await (await send('GET', job(id, '/diff'), { accept: '*/*' })).text(),
    retryJob: (id, overrides) => call<JobAnswer>('POST', job(id, '/retry'), { body: overrides }),

    async waitForJob(id, { signal, onProgress }) {
      for (;;) {
        const latest = await call<JobAnswer>('GET', job(id), { signal })
        await onProgress?.(latest)
        if (isTerminal(latest.status) || latest.status === 'waiting') return latest
        await sleep(POLL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted())
      }
    },

    /** Reads a stream, so that no time limit on the first byte ends a slow model's answer. */
    async resolve(input, { signal, onLocated, onToken, onRestart } = {}) {
      const response = await send('POST', 'resolve', { body: input, accept: 'text/event-stream', signal })
      const listeners: Record<string, (value: unknown) => void> = {
        located: value => onLocated?.(value as LocatedAnswer),
        token: value => onToken?.((value as { text: string }).text),
        restart: () => onRestart?.(),
        error: value => {
          throw errorFrom(value as Problem)
        },
      }
      if (response.body === null) throw notFaultline(base)
      try {
        for await (const { event, data } of readEvents(response.body)) {
          const value: unknown = JSON.parse(data)
          if (event === 'done') return value as ResolutionAnswer
          listeners[event]?.(value)
        }
      } catch (error) {
        signal?.throwIfAborted()
        if (error instanceof FaultlineError || error instanceof CliError) throw error
        throw new CliError('SERVER_UNREACHABLE', 'The connection to the server broke before the answer was complete.', {
          exitCode: EXIT.missing,
          cause: error,
        })
      }
      throw new CliError('SERVER_UNREACHABLE', 'The server ended its answer too early.', {
        fix: 'Try again; the log of the server says what happened.',
        exitCode: EXIT.missing,
      })
    },

    parse: (stacktrace, signal) => call<ParseAnswer>('POST', 'parse', { body: { stacktrace }, signal }),
    listProjects: query => call<Page<ProjectAnswer>>('GET', 'projects', { query: { ...query } }),
    getProject: name => call<ProjectAnswer>('GET', project(name)),
    deleteProject: (name, { purge } = {}) =>
      call<void>('DELETE', project(name), { query: { purge: purge === true ? 'true' : undefined } }),
    listAudit: query => call<AuditPage>('GET', 'audit', { query: { ...query } }),
    search: (name, q, limit, signal) =>
      call<SearchAnswer>('GET', project(name, '/search'), { query: { q, limit }, signal }),
    ready: () => call<Readiness>('GET', 'ready'),
    readCommitted: async () => null,
    finishBackgroundWork: async () => {},
    close: async () => {},
  }
}

interface Problem {
  code?: unknown
  detail?: unknown
  fix?: unknown
}
