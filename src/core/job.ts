/** The pipelines that a job can be of, by the names that clients see. */
export const JOB_TYPES = ['clone', 'resolve', 'generate', 'improve', 'self_heal', 'fix', 'task', 'feature'] as const
/** The name of a pipeline. */
export type JobType = (typeof JOB_TYPES)[number]

/** Where a job can stand; the last three are final. */
export const JOB_STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const
/** Where a job stands. */
export type JobStatus = (typeof JOB_STATUSES)[number]

const TERMINAL: ReadonlySet<JobStatus> = new Set(['succeeded', 'failed', 'cancelled'])

/** Whether a job of this status has ended for good. */
export const isTerminal = (status: JobStatus): boolean => TERMINAL.has(status)

/** Anything that survives JSON: what steps return and jobs store. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined }
/** A JSON object, as far as it is known. */
export type JsonObject = { [key: string]: Json | undefined }

/** Where a piece of long work stands; `done` and `total` count the unit that `message` names. */
export interface Progress {
  step: string
  done: number
  total: number | null
  message: string
}

/** What calls of models cost. */
export interface Usage {
  llmCalls: number
  promptTokens: number
  completionTokens: number
  usd: number | null
}

/** The sum of two prices, each null where it is not known; null when neither is. */
function sumUsd(a: number | null, b: number | null): number | null {
  if (a === null) return b
  return a + (b ?? 0)
}

/** What two calls cost together; `usd` is null when the price of neither is known. */
export function sumUsage(a: Usage, b: Usage): Usage {
  return {
    llmCalls: a.llmCalls + b.llmCalls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    usd: sumUsd(a.usd, b.usd),
  }
}

/** What a job may take; a limit that is left out does not hold. */
export type Budget = {
  tokens?: number
  /** Seconds of running; the time that it is queued or waits for a person does not count. */
  seconds?: number
  usd?: number
}

/** What a job has taken so far; `usd` is null when nothing was called whose price is known. */
export type Spent = { tokens: number; seconds: number; usd: number | null }

/** The most that one file may have which a job keeps. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024

/** Name, size and checksum of one file that a job keeps. */
export type JobFile = { path: string; bytes: number; sha256: string }

/** What a job asks a person. */
export type JobRequest =
  | { kind: 'clarification'; question: string }
  /** `script` is what the command would run. */
  | { kind: 'confirm_run'; command: string; script?: string; files: JobFile[] }
  /** `verification`: what runs of a command before and after say. */
  | { kind: 'review_changes'; diff: string; rejectedHunks: JsonObject[]; verification?: string }
  | { kind: 'review_plan'; plan: Json }
  | { kind: 'approve_delivery'; branch: string; diff: string; pullRequestUrl: string | null }
  | { kind: 'budget'; spent: Spent; limit: Budget }

/** What a job can ask for. */
export type RequestKind = JobRequest['kind']

/** What a person may answer; to skip a question leaves it to the job. */
export type JobReply = { answer: string } | { skip: true } | { decision: 'approve' | 'reject' } | { budget: Budget }

/** What answers a request of a kind. */
export type ReplyTo<Kind extends RequestKind> = Kind extends 'clarification'
  ? { answer: string } | { skip: true }
  : { decision: 'approve' | 'reject' }

/** Why a job failed. */
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
  /** Jobs that will start before it; null unless it is queued. */
  queuePosition: number | null
  /** What it waits for; null unless it is waiting. */
  request: JobRequest | null
  result: Json
  error: JobError | null
  usage: Usage
  /** Secrets that were taken out of what models were sent. */
  redactions: number
  budget: Budget | null
}

/** What an event of a job is about. */
export type JobEventKind = 'status' | 'step' | 'log' | 'token' | 'request' | 'done'

/** One thing that happened in a job; `id` grows by one within a job, starting at 1. */
export interface JobEvent {
  id: number
  at: string
  event: JobEventKind
  data: JsonObject
}

/**
 * What a job keeps for those who want to know what it did: what models were sent and said, what people were asked and
 * said, what was run.
 */
export type TranscriptEntry =
  | {
      kind: 'messages'
      model: string
      prompts: Array<{ name: string; sha256: string }>
      messages: Array<{ role: string; content: string }>
      redactions: number
    }
  | { kind: 'reply'; model: string; text: string; finishReason: string | null; usage: Usage }
  | { kind: 'model_error'; model: string; code: string; message: string; usage: Usage }
  | { kind: 'question'; name: string; request: JobRequest }
  | { kind: 'answer'; name: string; keyName: string | null; reply: JobReply }
  | {
      kind: 'command'
      argv: string[]
      exitCode: number | null
      signal: string | null
      stdout: string
      stderr: string
      timedOut: boolean
      durationMs: number
      sandboxed: boolean
    }
