import type { ErrorCode } from '../core/errors.ts'

/** The exit codes of `faultline`. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  missing: 3,
  projectFault: 10,
  otherFault: 11,
  interrupted: 130,
} as const

const { failed, usage, missing } = EXIT

/** The exit code of each error code; a new code does not compile without one. */
const EXIT_BY_CODE = {
  VALIDATION_FAILED: usage,
  MALFORMED_JSON: usage,
  BAD_PATH: usage,
  BAD_REPOSITORY_URL: usage,
  BAD_REF: usage,
  BAD_REQUEST: usage,
  UNAUTHORIZED: missing,
  FORBIDDEN: missing,
  FORBIDDEN_HOST: missing,
  FORBIDDEN_ORIGIN: missing,
  ADDRESS_REFUSED: usage,
  LOCAL_REPOSITORY_REFUSED: usage,
  NOT_FOUND: missing, // a route that the server does not have: another version
  METHOD_NOT_ALLOWED: missing,
  NOT_SERVED_HERE: missing,
  NOT_ACCEPTABLE: missing,
  PROJECT_NOT_FOUND: usage,
  JOB_NOT_FOUND: usage,
  TASK_NOT_FOUND: usage,
  RESOLUTION_NOT_FOUND: usage,
  FILE_NOT_FOUND: usage,
  NAME_NOT_FOUND: usage,
  PROJECT_BUSY: failed,
  INDEX_NOT_READY: failed,
  INDEX_INCOMPATIBLE: failed,
  JOB_FINISHED: failed,
  JOB_NOT_FINISHED: failed,
  NOT_WAITING: failed,
  WRONG_REPLY: usage,
  IDEMPOTENCY_KEY_REUSED: usage,
  PAYLOAD_TOO_LARGE: usage,
  URI_TOO_LONG: usage,
  UNSUPPORTED_MEDIA_TYPE: missing,
  NO_STACK_TRACE: failed,
  EXCEPTION_NOT_FOUND: usage,
  REQUEST_TIMEOUT: failed,
  HEADERS_TOO_LARGE: usage,
  RATE_LIMITED: failed,
  QUEUE_FULL: failed,
  INTERNAL: failed,
  LLM_NOT_CONFIGURED: missing,
  WEBHOOK_NOT_CONFIGURED: missing,
  LLM_UNAVAILABLE: missing,
  LLM_BAD_REPLY: failed,
  LLM_REJECTED: missing,
  LLM_REQUEST_TOO_LARGE: failed,
  EMBEDDING_UNAVAILABLE: missing,
  GIT_NOT_FOUND: missing,
  OVERLOADED: failed,
  SANDBOX_UNAVAILABLE: missing,
  SHUTTING_DOWN: failed,
  DISK_FULL: missing,
  OBJECT_STORE_UNAVAILABLE: missing,
  DATA_DAMAGED: missing,
  DATABASE_UNAVAILABLE: missing,
  RESOLVE_TIMED_OUT: failed,
  REPOSITORY_NOT_FOUND: failed,
  REPOSITORY_AUTH_FAILED: failed,
  REPOSITORY_UNREACHABLE: failed,
  REPOSITORY_REDIRECTED: failed,
  REPOSITORY_TOO_LARGE: failed,
  REPOSITORY_CORRUPT: failed,
  EMPTY_REPOSITORY: failed,
  BRANCH_NOT_FOUND: failed,
  REF_NOT_FOUND: failed,
  CLONE_TIMED_OUT: failed,
  CLONE_FAILED: failed,
  PUSH_REJECTED: failed,
  CHECKOUT_NOT_READY: failed,
  MERGE_FAILED: failed,
  FORGE_REFUSED: failed,
  MERGE_NEEDS_PUSH: usage,
  TASK_FAILED: failed,
  PLAN_INVALID: failed,
  OUT_OF_SCOPE: failed,
  FEATURE_FAILED: failed,
  NOTHING_TO_INDEX: failed,
  CONFIG_INVALID: missing,
  DATA_DIR_LOCKED: missing,
  CANCELLED: failed,
  REPLY_TIMED_OUT: failed,
  BUDGET_EXHAUSTED: failed,
  NO_FILES_IN_REPLY: failed,
  EDITS_REJECTED: failed,
  REPLY_TRUNCATED: failed,
  REPLY_FILTERED: failed,
  ENTRYPOINT_NOT_FOUND: failed,
  LINT_FAILED: failed,
  BISECT_STOPPED: failed,
  ENVIRONMENT_FAILED: failed,
  WORKER_LOST: failed,
} as const satisfies Record<ErrorCode, number>

const BY_NAME: ReadonlyMap<string, number> = new Map(Object.entries(EXIT_BY_CODE))

/** The exit code for an error's code; 1 for codes of other versions. */
export const exitCodeFor = (code: string): number => BY_NAME.get(code) ?? failed

/** The exit codes as `--help` prints them. */
export const EXIT_CODES_HELP = `
Exit codes:
  0    done
  1    the work failed: a job or a task failed, a merge has conflicts, there was nothing to search by
  2    wrong usage or refused input: a bad URL, an unknown project
  3    this machine or the server lacks something: configuration, git, disk, a lock, a connection
  10   with "resolve --exit-code": code of the project is at fault
  11   with "resolve --exit-code": there is a fault, and none of it in code of the project
  130  interrupted`
