export const JOB_TYPES = ['clone', 'resolve', 'generate', 'improve', 'self_heal', 'fix', 'task', 'feature'] as const
export type JobType = typeof JOB_TYPES[number]

export const JOB_STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const
export type JobStatus = typeof JOB_STATUSES[number]

const TERMINAL: ReadonlySet<JobStatus> = new Set(['succeeded', 'failed', 'cancelled'])
export const isTerminal = (status: JobStatus): boolean => TERMINAL.has(status)

/** Anything that survives JSON: what steps return and jobs store. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined }
export type JsonObject = { [key: string]: Json | undefined }

/** Where a piece of long work stands; `done` and `total` count the unit that `message` names. */
export interface Progress {
  step: string
  done: number
  total: number | null
  message: string
}

export interface Usage {
  llmCalls: number
  promptTokens: number
  completionTokens: number
  usd: number | null
}

/** What two calls cost together; `usd` is null when it is of neither known. */
export function sumUsage (a: Usage, b: Usage): Usage {
  return {
    llmCalls: a.llmCalls + b.llmCalls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    usd: a.usd === null ? b.usd : a.usd + (b.usd ?? 0),
  }
}

export interface JobError {
  code: string
  message: string
  step: string | null
  fix?: string
}

/** A job as clients see it. */
export interface Job {
  id: string
  type: JobType
  status: JobStatus
  projectName: string | null
  createdAt: string
  updatedAt: string
  retryOf: string | null
  trust: 'trusted' | 'untrusted'
  progress: Progress | null
  /** Jobs ahead of it in the queue; null unless it is queued. */
  queuePosition: number | null
  request: JsonObject | null
  result: Json
  error: JobError | null
  usage: Usage
  budget: JsonObject | null
}

export type JobEventKind = 'status' | 'step' | 'log' | 'token' | 'request' | 'done'

/** `id` grows by one within a job, starting at 1. */
export interface JobEvent {
  id: number
  at: string
  event: JobEventKind
  data: JsonObject
}
