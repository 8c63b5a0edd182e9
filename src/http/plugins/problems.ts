import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ERROR_HELP } from '../../core/error-help.ts'
import { ERROR_CODES, FaultlineError, QueueFullError, type ErrorCode, WorkerLostError } from '../../core/errors.ts'
import { STATUS_CODES } from '../../core/node-http.ts'
import { namingStorageFault } from '../../core/storage-fault.ts'
import { problemSchema } from '../../contract/problem.ts'

/** The HTTP status of each error code; a new code does not compile without one. */
export const STATUS_BY_CODE = {
  VALIDATION_FAILED: 400,
  MALFORMED_JSON: 400,
  BAD_PATH: 400,
  BAD_REPOSITORY_URL: 400,
  BAD_REF: 400,
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  FORBIDDEN_HOST: 403,
  FORBIDDEN_ORIGIN: 403,
  ADDRESS_REFUSED: 403,
  LOCAL_REPOSITORY_REFUSED: 403,
  NOT_FOUND: 404,
  PROJECT_NOT_FOUND: 404,
  JOB_NOT_FOUND: 404,
  TASK_NOT_FOUND: 404,
  RESOLUTION_NOT_FOUND: 404,
  FILE_NOT_FOUND: 404,
  NAME_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  PROJECT_BUSY: 409,
  INDEX_NOT_READY: 409,
  INDEX_INCOMPATIBLE: 409,
  DATA_DAMAGED: 409,
  JOB_FINISHED: 409,
  JOB_NOT_FINISHED: 409,
  NOT_WAITING: 409,
  WRONG_REPLY: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  CANCELLED: 409,
  CHECKOUT_NOT_READY: 409,
  MERGE_FAILED: 409,
  REPLY_TIMED_OUT: 409,
  BUDGET_EXHAUSTED: 409,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  NOT_SERVED_HERE: 421,
  NO_STACK_TRACE: 422,
  EXCEPTION_NOT_FOUND: 422,
  REPOSITORY_NOT_FOUND: 422,
  REPOSITORY_AUTH_FAILED: 422,
  REPOSITORY_UNREACHABLE: 422,
  REPOSITORY_REDIRECTED: 422,
  REPOSITORY_TOO_LARGE: 422,
  REPOSITORY_CORRUPT: 422,
  EMPTY_REPOSITORY: 422,
  BRANCH_NOT_FOUND: 422,
  REF_NOT_FOUND: 422,
  CLONE_TIMED_OUT: 422,
  CLONE_FAILED: 422,
  PUSH_REJECTED: 422,
  FORGE_REFUSED: 422,
  MERGE_NEEDS_PUSH: 422,
  TASK_FAILED: 422,
  PLAN_INVALID: 422,
  OUT_OF_SCOPE: 422,
  FEATURE_FAILED: 422,
  NOTHING_TO_INDEX: 422,
  RESOLVE_TIMED_OUT: 422,
  LLM_REQUEST_TOO_LARGE: 422,
  NO_FILES_IN_REPLY: 422,
  EDITS_REJECTED: 422,
  REPLY_TRUNCATED: 422,
  REPLY_FILTERED: 422,
  ENTRYPOINT_NOT_FOUND: 422,
  LINT_FAILED: 422,
  BISECT_STOPPED: 422,
  ENVIRONMENT_FAILED: 422,
  WORKER_LOST: 422,
  RATE_LIMITED: 429,
  QUEUE_FULL: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  CONFIG_INVALID: 500,
  DATA_DIR_LOCKED: 500,
  LLM_NOT_CONFIGURED: 503,
  WEBHOOK_NOT_CONFIGURED: 503,
  LLM_UNAVAILABLE: 503,
  LLM_BAD_REPLY: 503,
  LLM_REJECTED: 503,
  EMBEDDING_UNAVAILABLE: 503,
  OBJECT_STORE_UNAVAILABLE: 503,
  GIT_NOT_FOUND: 503,
  OVERLOADED: 503,
  DATABASE_UNAVAILABLE: 503,
  SANDBOX_UNAVAILABLE: 503,
  SHUTTING_DOWN: 503,
  DISK_FULL: 507,
} as const satisfies Record<ErrorCode, number>

/** What Fastify calls its own refusals, in our words. */
const CODE_BY_FASTIFY_CODE = new Map<string, ErrorCode>([
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'MALFORMED_JSON'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'MALFORMED_JSON'],
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'PAYLOAD_TOO_LARGE'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'UNSUPPORTED_MEDIA_TYPE'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'BAD_REQUEST'],
  ['FST_ERR_MAX_LENGTH', 'URI_TOO_LONG'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'URI_TOO_LONG'],
  ['FST_ERR_BAD_URL', 'BAD_REQUEST'],
  ['FST_ERR_HANDLER_TIMEOUT', 'OVERLOADED'],
  ['FST_STATIC_FORBIDDEN_PATH', 'NOT_FOUND'],
  ['FST_CSRF_INVALID_TOKEN', 'FORBIDDEN'],
  ['FST_CSRF_MISSING_SECRET', 'FORBIDDEN'],
])

const CODE_BY_STATUS = new Map<number, ErrorCode>([
  [400, 'BAD_REQUEST'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [408, 'REQUEST_TIMEOUT'],
  [413, 'PAYLOAD_TOO_LARGE'],
  [414, 'URI_TOO_LONG'],
  [415, 'UNSUPPORTED_MEDIA_TYPE'],
  [429, 'RATE_LIMITED'],
  [431, 'HEADERS_TOO_LARGE'],
  [503, 'OVERLOADED'],
])

const STRANGE_FORM =
  'The form is not one that this server showed to this browser, or far too old. Go back, copy what you wrote, load ' +
  'the page again, and send it from there.'

/** Fastify's words where ours say more. */
const DETAIL_BY_FASTIFY_CODE = new Map([
  ['FST_STATIC_FORBIDDEN_PATH', 'There is no such file.'],
  ['FST_CSRF_INVALID_TOKEN', STRANGE_FORM],
  ['FST_CSRF_MISSING_SECRET', STRANGE_FORM],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'The content type of the request is not one that this route takes.'],
])

/** One field of a request, and what is wrong with it. */
export interface ValidationIssue {
  path: string
  message: string
}

/** Thrown by the validator compiler; `errors` is what the client sees. */
export class ValidationError extends Error {
  readonly errors: ValidationIssue[]
  constructor(errors: ValidationIssue[]) {
    super(errors.map(({ path, message }) => `${path} ${message}`).join('; '))
    this.errors = errors
  }
}

interface Problem {
  status: number
  code: ErrorCode
  detail: string
  fix?: string
  errors?: ValidationIssue[]
  /** The place in the queue that the job would have had; given when the queue is full. */
  queuePosition?: number
}

/** What is wrong with which field; undefined for an error that is not about the fields of a request. */
function issuesOf(error: unknown): ValidationIssue[] | undefined {
  if (error instanceof ValidationError) return error.errors
  const { validation, message = '' } = Object(error) as Partial<FastifyError>
  return validation === undefined ? undefined : [{ path: '', message }]
}

/** What to do about a request whose fields are wrong. */
function validationFix({ headers }: FastifyRequest): string {
  if (!/^text\/plain\b/i.test(headers['content-type'] ?? '')) return ERROR_HELP.VALIDATION_FAILED.cure
  return (
    'The body of text/plain is the trace; everything else stands in the address: /resolve?project_name=NAME. ' +
    'GET /projects lists the names.'
  )
}

function problemOf(thrown: unknown, request: FastifyRequest): Problem {
  const error = namingStorageFault(thrown)
  if (error instanceof FaultlineError) {
    const { code, message, fix = ERROR_HELP[code].cure } = error
    const queuePosition = error instanceof QueueFullError ? error.position : undefined
    return { status: STATUS_BY_CODE[code], code, detail: message, fix, queuePosition }
  }
  if (error instanceof WorkerLostError) {
    return {
      status: 503,
      code: 'OVERLOADED',
      detail: 'The process that worked on this ended in the middle of it.',
      fix: 'Send it again. If it happens once more, the log of the server says why; often the memory is too small.',
    }
  }
  const { statusCode = 500, code: fastifyCode = '', message = '' } = Object(error) as Partial<FastifyError>
  const errors = issuesOf(error)
  if (errors !== undefined) {
    const detail = `The request is not valid: ${message}.`
    return { status: 400, code: 'VALIDATION_FAILED', detail, fix: validationFix(request), errors }
  }
  const code = CODE_BY_FASTIFY_CODE.get(fastifyCode) ?? CODE_BY_STATUS.get(statusCode)
  if (code === undefined || (statusCode >= 500 && code !== 'OVERLOADED')) {
    const detail = 'Something broke here; the log has it under this request id.'
    return { status: 500, code: 'INTERNAL', detail, fix: ERROR_HELP.INTERNAL.cure }
  }
  const detail = DETAIL_BY_FASTIFY_CODE.get(fastifyCode) ?? message
  return { status: STATUS_BY_CODE[code], code, detail, fix: ERROR_HELP[code].cure }
}

const inWireForm = ({ status, code, detail, fix, errors, queuePosition }: Problem, request: FastifyRequest) => ({
  type: 'about:blank',
  title: STATUS_CODES[status] ?? 'Error',
  status,
  detail,
  instance: request.id,
  code,
  fix,
  errors,
  queue_position: queuePosition,
})

/** What the operator has to see with all that is known of it. */
const FOR_THE_LOG: ReadonlySet<ErrorCode> = new Set(['INTERNAL', 'DATA_DAMAGED'])

/** What the client gets to know of an error, be it a bug, as the contract has it; the log gets the rest. */
export function toProblem(error: unknown, request: FastifyRequest): ReturnType<typeof inWireForm> {
  const problem = problemOf(error, request)
  if (FOR_THE_LOG.has(problem.code) || error instanceof WorkerLostError) {
    request.log.error({ err: error }, 'request failed')
  } else request.log.info({ code: problem.code, detail: problem.detail }, 'request refused')
  return inWireForm(problem, request)
}

function sendProblem(reply: FastifyReply, body: ReturnType<typeof inWireForm>): FastifyReply {
  if (body.status === 503 || body.status === 429) reply.header('retry-after', reply.getHeader('retry-after') ?? '1')
  return reply
    .code(body.status)
    .type('application/problem+json')
    .serializer((given: unknown) => JSON.stringify(given)) // a response schema of the success must not cut a problem
    .send(body)
}

function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof QueueFullError) reply.header('retry-after', String(error.retryAfterS))
  return sendProblem(reply, toProblem(error, request))
}

/** What the router found wrong with a request, before any hook has seen it. */
const routerErrors = new WeakMap<IncomingMessage, FastifyError>()

/** A path that no route has. */
const UNROUTED = '/-'

/**
 * For requests that the router cannot place (a malformed URL, an over-long parameter): Fastify's `frameworkErrors`
 * option. They go through all hooks like a request for an unknown path, so that they are counted, checked and answered
 * with the same headers.
 */
export function handleFrameworkError(error: FastifyError, { raw, server }: FastifyRequest, reply: FastifyReply): void {
  routerErrors.set(raw, error)
  raw.url = UNROUTED
  server.routing(raw, reply.raw)
}

interface ClientProblem {
  status: number
  code: ErrorCode
  detail: string
  fix?: string
}

const clientProblem = (code: ErrorCode, detail: string): ClientProblem => ({
  status: STATUS_BY_CODE[code],
  code,
  detail,
  fix: ERROR_HELP[code].cure,
})
const PARSER_ERRORS = new Map<string | undefined, ClientProblem>([
  ['HPE_HEADER_OVERFLOW', clientProblem('HEADERS_TOO_LARGE', 'The request headers are too large.')],
  ['ERR_HTTP_REQUEST_TIMEOUT', clientProblem('REQUEST_TIMEOUT', 'The request did not arrive in time.')],
])
const NOT_HTTP = clientProblem('BAD_REQUEST', 'This is not an HTTP request that the server understands.')

/** The headers that helmet gives every other answer. */
const SECURITY_HEADERS = [
  "Content-Security-Policy: default-src 'none';frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy: same-origin',
  'Cross-Origin-Resource-Policy: same-origin',
  'Origin-Agent-Cluster: ?1',
  'Referrer-Policy: no-referrer',
  'X-Content-Type-Options: nosniff',
  'X-DNS-Prefetch-Control: off',
  'X-Download-Options: noopen',
  'X-Frame-Options: DENY',
  'X-Permitted-Cross-Domain-Policies: none',
  'X-XSS-Protection: 0',
]

/** A whole answer, for a socket of which no request is read. */
export function problemMessage({ status, code, detail, fix }: ClientProblem): string {
  const instance = `req_${crypto.randomUUID()}`
  const title = STATUS_CODES[status]
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, instance, code, fix })
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    ...SECURITY_HEADERS,
    `X-Request-Id: ${instance}`,
    `Date: ${new Date().toUTCString()}`,
    ...(status === 503 ? ['Retry-After: 1'] : []),
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** For bytes that are not HTTP, which no hook sees: Fastify's `clientErrorHandler` option. */
export function handleClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  socket.end(problemMessage(PARSER_ERRORS.get(error.code) ?? NOT_HTTP))
}

/** The pattern of one part of a route's address: `*`, a parameter, or the text as it is. */
function patternOf(part: string): string {
  if (part === '*') return '.+'
  return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Known paths by pattern, so that a wrong method is told apart from a wrong path. */
function collectRoutes(app: FastifyInstance): (path: string) => string[] {
  const routes: Array<{ pattern: RegExp; methods: string[] }> = []
  app.addHook('onRoute', ({ url, method }) => {
    const escaped = url.split('/').map(patternOf).join('/')
    routes.push({ pattern: new RegExp(`^${escaped}$`), methods: [method].flat() })
  })
  return path => [...new Set(routes.filter(route => route.pattern.test(path)).flatMap(route => route.methods))].sort()
}

export default fp(
  async app => {
    app.addSchema(problemSchema(ERROR_CODES))
    const methodsFor = collectRoutes(app)
    app.setErrorHandler(handleError)
    app.setNotFoundHandler((request, reply) => {
      const routerError = routerErrors.get(request.raw)
      if (routerError !== undefined) throw routerError
      const path = request.url.split('?', 1)[0] ?? ''
      const methods = methodsFor(path)
      if (methods.length === 0 || methods.includes(request.method)) {
        throw new FaultlineError(
          'NOT_FOUND',
          `There is no route ${request.method} ${path.slice(0, 200)}.`,
          ERROR_HELP.NOT_FOUND.cure,
        )
      }
      reply.header('allow', methods.join(', '))
      throw new FaultlineError(
        'METHOD_NOT_ALLOWED',
        `${path} does not take ${request.method}.`,
        `Use ${methods.join(' or ')}.`,
      )
    })
  },
  { name: 'problems' },
)
