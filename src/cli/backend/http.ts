import { openAsBlob } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditPage } from '../../contract/audit.ts'
import type { JobAnswer, JobEventAnswer, JobFileAnswer } from '../../contract/job.ts'
import { PIPELINE_PATHS } from '../../contract/job-names.ts'
import type { ProjectAnswer, SearchAnswer } from '../../contract/project.ts'
import type { LocatedAnswer, ParseAnswer, ResolutionAnswer } from '../../contract/resolution.ts'
import { ERROR_CODES, FaultlineError, type ErrorCode } from '../../core/errors.ts'
import { isTerminal } from '../../core/job.ts'
import type { KeptResolutionAnswer, ResolutionRow } from '../../contract/kept-resolution.ts'
import type { TaskAnswer, TaskPage } from '../../contract/task.ts'
import type { TranscriptEntryAnswer } from '../../contract/transcript.ts'
import type { DryRunAnswer } from '../../contract/dry-run.ts'
import type { ClusterAnswer } from '../../contract/cluster.ts'
import type { Readiness } from '../../contract/readiness.ts'
import type { Backend, Page, PipelineType } from './backend.ts'
import { CliError, usageError } from '../cli-error.ts'
import { exitCodeFor } from '../exit-codes.ts'
import { readEvents } from './sse.ts'

const POLL_MS = 300
/** A server that is restarted is back within so many tries, each of which waits longer. */
const MAX_RECONNECTS = 12
const RECONNECT_MS = 250
const MAX_RECONNECT_MS = 5_000
/** What ends a stream and passes by. */
const PASSING: ReadonlySet<string> = new Set(['SHUTTING_DOWN', 'OVERLOADED', 'RATE_LIMITED', 'SERVER_UNREACHABLE'])
const KNOWN_CODES: ReadonlySet<string> = new Set(ERROR_CODES)

/** The server, and the key to authenticate with. */
interface HttpOptions {
  server: string
  apiKey?: string
  /** The folder of its clones, where they are on this machine. */
  clonesDir?: string
}

interface CallOptions {
  query?: Record<string, string | number | undefined>
  body?: object
  /** Sent as it is in place of a body. */
  file?: Blob
  accept?: string
  /** The last event of a stream that broke off. */
  lastEventId?: number
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
    cause: error,
  })
}

/** Sends a request below the server's URL, with the key, and answers what comes, whatever its status. */
export type AskServer = (path: string, init: RequestInit) => Promise<Response>

/** The way to a server for what is no call of its interface. */
export function createAskServer({ server, apiKey }: Pick<HttpOptions, 'server' | 'apiKey'>): AskServer {
  const base = serverUrl(server)
  return async (path, init) => {
    const headers = new Headers(init.headers)
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    try {
      return await fetch(new URL(path, base), { ...init, headers, redirect: 'error' })
    } catch (error) {
      init.signal?.throwIfAborted()
      throw unreachable(base, error)
    }
  }
}

/** A running server as a backend. Its problems become errors with the same code and fix. */
export function createHttpBackend({ server, apiKey, clonesDir }: HttpOptions): Backend {
  const base = serverUrl(server)

  async function send(
    method: string,
    path: string,
    { query = {}, body, file, accept = 'application/json', lastEventId, signal }: CallOptions,
  ): Promise<Response> {
    const url = new URL(path, base)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const headers = new Headers({ accept })
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    if (body !== undefined) headers.set('content-type', 'application/json')
    if (lastEventId !== undefined) headers.set('last-event-id', String(lastEventId))
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

  const brokenOff = (cause?: unknown): CliError =>
    new CliError('SERVER_UNREACHABLE', `The connection to ${base.origin} broke off.`, { cause })

  /** One stream of a job's events, until it ends or breaks. */
  async function* streamEvents(path: string, after: number, signal: AbortSignal): AsyncGenerator<JobEventAnswer> {
    const response = await send('GET', path, { accept: 'text/event-stream', lastEventId: after, signal })
    if (response.body === null) throw notFaultline(base)
    try {
      for await (const { event, id, data } of readEvents(response.body)) {
        const value = JSON.parse(data) as Record<string, unknown>
        if (event === 'error') throw errorFrom(value)
        const { at, ...rest } = value
        yield { id: Number(id), at: String(at), event: event as JobEventAnswer['event'], data: rest }
      }
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof FaultlineError || error instanceof CliError ? error : brokenOff(error)
    }
  }

  /** Streams one after the other, until the job has ended. */
  async function* followEvents(id: string, after: number, signal: AbortSignal): AsyncGenerator<JobEventAnswer> {
    let last = after
    for (let broken = 0; ;) {
      try {
        for await (const event of streamEvents(job(id, '/events'), last, signal)) {
          yield event
          if (event.event === 'done') return
          last = event.id
          broken = 0
        }
        if (isTerminal((await call<JobAnswer>('GET', job(id), { signal })).status)) return
      } catch (error) {
        const { code } = error as { code?: string }
        if (broken >= MAX_RECONNECTS || !PASSING.has(code ?? '')) throw error
      }
      broken++
      const pauseMs = Math.min(MAX_RECONNECT_MS, RECONNECT_MS * 2 ** (broken - 1))
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  const resolution = (id: string, suffix = '') => `resolutions/${encodeURIComponent(id)}${suffix}`
  const project = (name: string, suffix = '') => `projects/${encodeURIComponent(name)}${suffix}`

  return {
    server: base.origin,
    clonesDir: clonesDir ?? null,
    clone: body => call<JobAnswer>('POST', 'clone', { body }),
    upload: async (name, file, { include, exclude, notify, ...options }, signal) =>
      call<JobAnswer>('POST', project(name, '/upload'), {
        query: { ...options, include: include?.join(','), exclude: exclude?.join(','), notify: notify?.join(',') },
        file: await openAsBlob(file),
        signal,
      }),
    startPipeline: (type, body) => call<JobAnswer>('POST', pathOf(type), { body }),
    investigate: input => call<JobAnswer>('POST', 'resolve', { body: { ...input, investigate: true } }),
    dryRun: (type, body) => call<DryRunAnswer>('POST', pathOf(type), { body: { ...body, dry_run: true } }),
    listJobs: query => call<Page<JobAnswer>>('GET', 'jobs', { query: { ...query } }),
    getJob: id => call<JobAnswer>('GET', job(id)),
    jobEvents: (id, after) => call<{ data: JobEventAnswer[] }>('GET', job(id, '/events'), { query: { after } }),
    followJob: followEvents,
    cancelJob: id => call<JobAnswer>('POST', job(id, '/cancel')),
    replyToJob: (id, body) => call<JobAnswer>('POST', job(id, '/reply'), { body }),
    jobFiles: id => call<{ data: JobFileAnswer[] }>('GET', job(id, '/files')),
    readJobFile: async (id, path) =>
      Buffer.from(
        await (
          await send('GET', job(id, `/files/${path.split('/').map(encodeURIComponent).join('/')}`), { accept: '*/*' })
        ).arrayBuffer(),
      ),
    jobText: async (id, kind) => await (await send('GET', job(id, `/${kind}`), { accept: '*/*' })).text(),
    jobTranscript: id => call<{ data: TranscriptEntryAnswer[] }>('GET', job(id, '/transcript')),
    removeJob: id => call<void>('DELETE', job(id)),
    retryJob: (id, overrides) => call<JobAnswer>('POST', job(id, '/retry'), { body: overrides }),

    listTasks: query => call<TaskPage>('GET', 'tasks', { query: { ...query } }),
    getTask: number => call<TaskAnswer>('GET', `tasks/${number}`),

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
          cause: error,
        })
      }
      throw new CliError('SERVER_UNREACHABLE', 'The server ended its answer too early.', {
        fix: 'Try again; the log of the server says what happened.',
      })
    },

    parse: (stacktrace, signal) => call<ParseAnswer>('POST', 'parse', { body: { stacktrace }, signal }),
    listProjects: query => call<Page<ProjectAnswer>>('GET', 'projects', { query: { ...query } }),
    getProject: name => call<ProjectAnswer>('GET', project(name)),
    changeProject: (name, body) => call<ProjectAnswer>('PATCH', project(name), { body }),
    deleteProject: (name, { purge } = {}) =>
      call<void>('DELETE', project(name), { query: { purge: purge === true ? 'true' : undefined } }),
    listAudit: query => call<AuditPage>('GET', 'audit', { query: { ...query } }),
    listResolutions: ({ with_feedback: judged, ...query }) =>
      call<Page<ResolutionRow>>('GET', 'resolutions', {
        query: { ...query, with_feedback: judged === true ? 'true' : undefined },
      }),
    getResolution: id => call<KeptResolutionAnswer>('GET', resolution(id), { query: { with_trace: 'true' } }),
    judgeResolution: (id, body) => call<void>('POST', resolution(id, '/feedback'), { body }),
    search: (name, q, limit, signal) =>
      call<SearchAnswer>('GET', project(name, '/search'), { query: { q, limit }, signal }),
    ready: () => call<Readiness>('GET', 'ready'),
    cluster: () => call<ClusterAnswer>('GET', 'cluster'),
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
