import type {
  BudgetAnswer,
  JobAnswer,
  JobEventAnswer,
  JobFileAnswer,
  JobRequestAnswer,
  SpentAnswer,
  UsageAnswer,
} from '../contract/job.ts'
import type { TranscriptEntryAnswer } from '../contract/transcript.ts'
import type { CamelCased } from '../contract/wire.ts'

/** The name of a pipeline. */
export type JobType = JobAnswer['type']

/** Where a job stands. */
export type JobStatus = JobAnswer['status']

const TERMINAL: ReadonlySet<JobStatus> = new Set(['succeeded', 'failed', 'cancelled'])

/** Whether a job of this status has ended for good. */
export const isTerminal = (status: JobStatus): boolean => TERMINAL.has(status)

/** Anything that survives JSON: what steps return and jobs store. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined }
/** A JSON object, as far as it is known. */
export type JsonObject = { [key: string]: Json | undefined }

/** Where a piece of long work stands; `done` and `total` count the unit that `message` names. */
export type Progress = NonNullable<JobAnswer['progress']>

/** What calls of models cost. */
export type Usage = CamelCased<UsageAnswer>

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
export type Budget = BudgetAnswer

/** What a job has taken so far; `usd` is null when nothing was called whose price is known. */
export type Spent = SpentAnswer

/** The most that one file may have which a job keeps. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024

/** Name, size and checksum of one file that a job keeps. */
export type JobFile = JobFileAnswer

/** What a job asks a person. */
export type JobRequest = CamelCased<JobRequestAnswer>

/** What a job can ask for. */
export type RequestKind = JobRequest['kind']

/** What a person decides; the comment to a rejection of changes asks for other ones. */
export type Decision = { decision: 'approve' } | { decision: 'reject'; comment?: string }

/** What a person may answer; to skip a question leaves it to the job. */
export type JobReply = { answer: string } | { skip: true } | Decision | { budget: Budget }

/** What answers a request of a kind. */
export type ReplyTo<Kind extends RequestKind> = Kind extends 'clarification'
  ? { answer: string } | { skip: true }
  : Decision

/** Why a job failed. */
export type JobError = NonNullable<JobAnswer['error']>

/** A job as clients see it. */
export interface Job extends Omit<CamelCased<JobAnswer>, 'request' | 'result'> {
  /** What it waits for; null unless it is waiting. */
  request: JobRequest | null
  result: Json
}

/** What an event of a job is about. */
export type JobEventKind = JobEventAnswer['event']

/** One thing that happened in a job; `id` grows by one within a job, starting at 1. */
export interface JobEvent extends JobEventAnswer {
  data: JsonObject
}

type WithoutMoment<Entry> = Entry extends { kind: 'created' } ? never : Omit<Entry, 'at' | 'step'>

/**
 * What a job keeps for those who want to know what it did: what models were sent and said, what people were asked and
 * said, what was run.
 */
export type TranscriptEntry = WithoutMoment<CamelCased<TranscriptEntryAnswer>>
