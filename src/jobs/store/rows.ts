import type { Budget, JobError, JobRequest, JobStatus, JobType, Json, Job, Progress, Usage } from '../../core/job.ts'

/** A row of `jobs` without the body, which may hold ten megabytes; `seq` is the order of creation. */
export interface StoredJob extends Job {
  seq: number
  keyName: string | null
  /** Name of the question that it waits with. */
  asked: string | null
  /** How long it ran before the present run. */
  activeMs: number
  /** The step that its latest run ended in; it may have been cut off. */
  lastStep: string | null
  /** How it failed, while others are told before it is marked. */
  failure: JobError | null
}

export type Row = Record<string, string | number | null>

export const COLUMNS =
  'seq, id, type, status, project_name, key_name, trust, retry_of, progress, request, asked, result, error, usage, redactions, budget, active_ms, last_step, failure, created_at, updated_at'

export function parse(text: string | number | null | undefined): Json {
  return typeof text === 'string' ? (JSON.parse(text) as Json) : null
}

export function toJob(row: Row, queuePosition: (seq: number) => number): StoredJob {
  const seq = Number(row.seq)
  return {
    seq,
    id: String(row.id),
    type: row.type as JobType,
    status: row.status as JobStatus,
    projectName: row.project_name as string | null,
    keyName: row.key_name as string | null,
    createdAt: String(row.created_at),
    updatedAt: String(row.updated_at),
    retryOf: row.retry_of as string | null,
    trust: row.trust as 'trusted' | 'untrusted',
    progress: parse(row.progress) as Progress | null,
    /** Found out when it is asked for: that takes a look at the whole queue. */
    get queuePosition() {
      return row.status === 'queued' ? queuePosition(seq) : null
    },
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
