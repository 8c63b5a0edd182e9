import type { Usage } from './job.ts'

/** Stable names that clients switch on. Never rename one. */
export const ERROR_CODES = [
  'VALIDATION_FAILED',
  'MALFORMED_JSON',
  'BAD_PATH',
  'BAD_REPOSITORY_URL',
  'BAD_REF',
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'FORBIDDEN_HOST',
  'FORBIDDEN_ORIGIN',
  'ADDRESS_REFUSED',
  'LOCAL_REPOSITORY_REFUSED',
  'NOT_FOUND',
  'PROJECT_NOT_FOUND',
  'JOB_NOT_FOUND',
  'TASK_NOT_FOUND',
  'RESOLUTION_NOT_FOUND',
  'FILE_NOT_FOUND',
  'NAME_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'NOT_SERVED_HERE',
  'NOT_ACCEPTABLE',
  'PROJECT_BUSY',
  'INDEX_NOT_READY',
  'INDEX_INCOMPATIBLE',
  'JOB_FINISHED',
  'JOB_NOT_FINISHED',
  'NOT_WAITING',
  'WRONG_REPLY',
  'IDEMPOTENCY_KEY_REUSED',
  'PAYLOAD_TOO_LARGE',
  'URI_TOO_LONG',
  'UNSUPPORTED_MEDIA_TYPE',
  'NO_STACK_TRACE',
  'EXCEPTION_NOT_FOUND',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
  'RATE_LIMITED',
  'QUEUE_FULL',
  'INTERNAL',
  'LLM_NOT_CONFIGURED',
  'WEBHOOK_NOT_CONFIGURED',
  'LLM_UNAVAILABLE',
  'LLM_BAD_REPLY',
  'LLM_REJECTED',
  'LLM_REQUEST_TOO_LARGE',
  'EMBEDDING_UNAVAILABLE',
  'GIT_NOT_FOUND',
  'OVERLOADED',
  'SANDBOX_UNAVAILABLE',
  'SHUTTING_DOWN',
  'DISK_FULL',
  'OBJECT_STORE_UNAVAILABLE',
  'DATA_DAMAGED',
  'DATABASE_UNAVAILABLE',
  'RESOLVE_TIMED_OUT',
  'REPOSITORY_NOT_FOUND',
  'REPOSITORY_AUTH_FAILED',
  'REPOSITORY_UNREACHABLE',
  'REPOSITORY_REDIRECTED',
  'REPOSITORY_TOO_LARGE',
  'REPOSITORY_CORRUPT',
  'EMPTY_REPOSITORY',
  'BRANCH_NOT_FOUND',
  'REF_NOT_FOUND',
  'CLONE_TIMED_OUT',
  'CLONE_FAILED',
  'PUSH_REJECTED',
  'CHECKOUT_NOT_READY',
  'MERGE_FAILED',
  'FORGE_REFUSED',
  'MERGE_NEEDS_PUSH',
  'TASK_FAILED',
  'PLAN_INVALID',
  'OUT_OF_SCOPE',
  'FEATURE_FAILED',
  'NOTHING_TO_INDEX',
  'CONFIG_INVALID',
  'DATA_DIR_LOCKED',
  'CANCELLED',
  'REPLY_TIMED_OUT',
  'BUDGET_EXHAUSTED',
  'NO_FILES_IN_REPLY',
  'EDITS_REJECTED',
  'REPLY_TRUNCATED',
  'REPLY_FILTERED',
  'ENTRYPOINT_NOT_FOUND',
  'LINT_FAILED',
  'BISECT_STOPPED',
  'ENVIRONMENT_FAILED',
  'WORKER_LOST',
] as const
/** One of the stable names. */
export type ErrorCode = (typeof ERROR_CODES)[number]

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)

/** Base of every failure Faultline expects. Anything else is a bug and becomes a 500. */
export class FaultlineError extends Error {
  readonly code: ErrorCode
  /** The next call or setting that would help, or undefined. Never file contents, host paths or keys. */
  readonly fix: string | undefined

  constructor(code: ErrorCode, message: string, fix?: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
    this.fix = fix
  }
}

/** There is no place for a new job in the queue. */
export class QueueFullError extends FaultlineError {
  /** The place it would have had, from 1. */
  readonly position: number
  /** Seconds after which one will be free, by how long jobs took lately. */
  readonly retryAfterS: number

  constructor(position: number, retryAfterS: number) {
    super(
      'QUEUE_FULL',
      `${position - 1} jobs are queued already; a new one would be number ${position}.`,
      `Try again in ${retryAfterS} s, or raise QUEUE_LIMIT.`,
    )
    this.position = position
    this.retryAfterS = retryAfterS
  }
}

/** A model gave no usable answer. */
export class ModelError extends FaultlineError {
  /** What was sent for it, and what that cost; estimated where the server did not count. */
  readonly usage: Usage

  constructor(
    code: ErrorCode,
    message: string,
    { usage, fix, cause }: { usage: Usage; fix?: string; cause?: unknown },
  ) {
    super(code, message, fix, { cause })
    this.usage = usage
  }
}

/** A request that offered tools was refused, as far as can be told because it did: ask in words instead. */
export class ToolsRefusedError extends ModelError {
  constructor(model: string, { usage, cause }: { usage: Usage; cause?: Error }) {
    super('LLM_REJECTED', `The server takes no tools for ${model}${cause === undefined ? '' : `: ${cause.message}`}.`, {
      usage,
      fix: 'Name a model that calls tools (LLM_MODEL), or ask it in words.',
      cause,
    })
    this.name = 'ToolsRefusedError'
  }
}

/**
 * The thread or process that did the work ended in the middle of it, for a reason that need not lie in the work. How
 * far it came is not known, and doing it again from its start may well succeed.
 */
export class WorkerLostError extends Error {
  constructor(options: ErrorOptions) {
    super('What worked on this ended in the middle of it.', options)
    this.name = 'WorkerLostError'
  }
}

/** An error in a form that survives a thread boundary and a database. */
export interface PlainError {
  /** A FaultlineError's. */
  code: ErrorCode | null
  /** Any other error's, as `ENOSPC`. */
  systemCode?: string
  message: string
  fix?: string
  stack?: string
  cause?: PlainError
}

/** Causes of causes that are kept: more say nothing new, and an error may be its own. */
const MAX_CAUSES = 5

/** The error, and up to `maxCauses` of its causes, as plain data. What is no error becomes the message of one. */
export function toPlainError(error: unknown, maxCauses = MAX_CAUSES): PlainError {
  if (!(error instanceof Error)) return { code: null, message: String(error) }
  const { message, stack } = error
  const cause = error.cause === undefined || maxCauses === 0 ? {} : { cause: toPlainError(error.cause, maxCauses - 1) }
  if (error instanceof FaultlineError) return { code: error.code, message, fix: error.fix, stack, ...cause }
  return {
    code: null,
    ...('code' in error && typeof error.code === 'string' ? { systemCode: error.code } : {}),
    message,
    stack,
    ...cause,
  }
}

/** The error without its stack, a FaultlineError where its code is one of ours, else a plain Error. */
function errorOf({ code, systemCode, message, fix }: PlainError, options: ErrorOptions): Error {
  if (code !== null && CODES.has(code)) return new FaultlineError(code, message, fix, options)
  return Object.assign(new Error(message, options), systemCode === undefined ? {} : { code: systemCode })
}

/** The error that `toPlainError` was made from: a FaultlineError where it was one, else a plain Error (a bug). */
export function fromPlainError(plain: PlainError): Error {
  const { cause, stack } = plain
  const error = errorOf(plain, cause === undefined ? {} : { cause: fromPlainError(cause) })
  if (stack !== undefined) error.stack = stack
  return error
}
