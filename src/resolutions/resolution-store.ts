import type { FeedbackCounts, FeedbackInput, ResolutionRow } from '../contract/kept-resolution.ts'

/** An answer to a stack trace as its store keeps it; everything but the packed JSON is what it is found by. */
export interface StoredResolution extends Omit<ResolutionRow, 'feedback'> {
  /** Names the question: an equal one may be answered with it. Null where it must not be. */
  question: string | null
  /** The whole answer as compressed JSON, in the words of the contract, without secrets. */
  packed: Uint8Array
  /** What was asked about as compressed text, without secrets; null for one that is too long to be kept. */
  trace: Uint8Array | null
}

/** Which of the kept resolutions a list shows: those that have all of it. */
export interface ResolutionFilter {
  /** Null: of all projects. */
  projectNames: readonly string[] | null
  fingerprint?: string
  withFeedback?: boolean
}

/** Keeps answers to stack traces, and what people thought of them. */
export interface ResolutionStore {
  /** All of them or none; one with a known id takes the place of the previous one, whose feedback stays. */
  put(resolutions: readonly StoredResolution[]): Promise<void>
  get(id: string): Promise<StoredResolution | null>
  /** The newest answer to a question. */
  answerTo(question: string): Promise<StoredResolution | null>
  /** Newest first; `seq` is the cursor. */
  list(filter: ResolutionFilter, limit: number, before: number | null): Promise<Array<ResolutionRow & { seq: number }>>
  /** Whether there is such a resolution. */
  addFeedback(id: string, feedback: FeedbackInput & { at: string; keyName: string | null }): Promise<boolean>
  feedbackCounts(): Promise<FeedbackCounts>
  /** Forgets at most `most` of those that are older, and returns how many. */
  removeBefore(at: string, most: number): Promise<number>
  removeOfProject(projectName: string): Promise<void>
}
