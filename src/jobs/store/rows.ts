import type {
  Budget,
  JobFile,
  JobError,
  JobRequest,
  JobStatus,
  JobType,
  Json,
  JsonObject,
  Progress,
  Usage,
} from '../../core/job.ts'
import { jobDatabaseDamaged } from '../../core/storage-fault.ts'
import type { AuditEntry } from './audit-store.ts'
import type { JobKey, QueueHead, StoredJob } from './job-store.ts'
import type { WebSession } from './session-store.ts'

/** A row as the database returns it. */
export type Row = Record<string, unknown>

/** The columns of `jobs` that make a `StoredJob`. */
export const COLUMNS = [
  ...[
    'seq',
    'id',
    'type',
    'status',
    'project_name',
    'key_name',
    'request_id',
    'trust',
    'retry_of',
    'progress',
    'request',
    'asked',
  ],
  ...['result', 'error', 'usage', 'redactions', 'budget', 'active_ms', 'last_step', 'failure'],
  ...['created_at', 'updated_at'],
].join(', ')

/** The value of a column that holds JSON; null for NULL. @throws {FaultlineError} DATA_DAMAGED */
export function parse(text: unknown): Json {
  if (typeof text !== 'string') return null
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw jobDatabaseDamaged('a row of it holds something else than JSON', cause)
  }
}

/** The value of a column that holds a JSON object. */
export const parseObject = (text: unknown): JsonObject => parse(text) as JsonObject

/** The text of a column that holds JSON; NULL for null and undefined. */
export function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}

/** The job that a row with `COLUMNS` holds. */
export function toJob(row: Row): StoredJob {
  return {
    seq: Number(row.seq),
    id: String(row.id),
    type: row.type as JobType,
    status: row.status as JobStatus,
    projectName: row.project_name as string | null,
    keyName: row.key_name as string | null,
    requestId: row.request_id as string | null,
    createdAt: String(row.created_at),
    updatedAt: String(row.updated_at),
    retryOf: row.retry_of as string | null,
    trust: row.trust as 'trusted' | 'untrusted',
    progress: parse(row.progress) as Progress | null,
    request: parse(row.request) as JobRequest | null,
    asked: row.asked as string | null,
    result: parse(row.result),
    error: parse(row.error) as JobError | null,
    usage: parse(row.usage) as unknown as Usage,
    redactions: Number(row.redactions),
    budget: parse(row.budget) as Budget | null,
    activeMs: Number(row.active_ms),
    lastStep: row.last_step as string | null,
    failure: parse(row.failure) as JobError | null,
  }
}

/** The queued job that a row holds. */
export const toHead = (row: Row): QueueHead => ({
  seq: Number(row.seq),
  type: row.type as JobType,
  projectName: row.project_name as string | null,
  exclusiveKey: row.exclusive_key as string | null,
})

/** The names of a job. */
export const toKey = (row: Row): JobKey => ({ seq: Number(row.seq), id: String(row.id) })

/** The entry of the audit log that a row holds. */
export const toEntry = (row: Row): AuditEntry => ({
  seq: Number(row.seq),
  at: String(row.at),
  key: row.key_name as string | null,
  action: String(row.action),
  projectName: row.project_name as string | null,
  target: row.target as string | null,
  outcome: String(row.outcome),
  requestId: row.request_id as string | null,
})

/** The session that a row holds. */
export const toSession = (row: Row): WebSession => ({
  id: String(row.id),
  keyName: String(row.key_name),
  keyHash: String(row.key_hash),
  createdAt: String(row.created_at),
})

/** The file that a row holds. */
export const toFile = (row: Row): JobFile => ({
  path: String(row.path),
  bytes: Number(row.bytes),
  sha256: String(row.sha256),
})
