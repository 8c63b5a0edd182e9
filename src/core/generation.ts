import type { MappedFrame } from './frame.ts'
import type { JobFile } from './job.ts'

/** One run of a program, as a job tells it: the ends of its output, and how it ended. */
export type ProgramRun = {
  /** Null when it was killed. */
  exitCode: number | null
  stdout: string
  stderr: string
  timedOut: boolean
  durationMs: number
  /** What ended it, when it did not end by itself. */
  killedBy: 'time' | 'memory' | 'output' | 'disk' | 'cancelled' | null
  /** Whether it met `ready_when`; it was ended then. */
  ready: boolean
  /** False with SANDBOX=unsafe-host. */
  sandboxed: boolean
}

export type HealAttempt = ProgramRun & {
  /** Equal for equal faults; null for a success. */
  errorSignature: string | null
}

export const STOP_REASONS = ['healed', 'max_attempts', 'same_error', 'no_change', 'budget'] as const
export type StopReason = (typeof STOP_REASONS)[number]

/** What healing came to. `healed` is nothing but an exit code among those of success, or a program that got ready. */
export type HealResult = {
  /** Made or changed. */
  files: JobFile[]
  deleted: string[]
  /** Against the files that were given. */
  diff: string
  healed: boolean
  stoppedBecause: StopReason
  attempts: HealAttempt[]
}

/** What became of a job's changes of a project; all null where there is none. */
export type Delivered = {
  /** What the diff is against. */
  baseCommit: string | null
  /** In the server's clone; null when nothing was committed. */
  branch: string | null
  commit: string | null
}

export type SelfHealResult = HealResult & Delivered

export type GenerateResult = {
  /** All of the program. */
  files: JobFile[]
  /** Name of the script that installs and runs it. */
  entrypoint: string
  /** Null when nothing was run. */
  run: ProgramRun | null
  heal: HealResult | null
}

/** A hunk or file of a reply that was not taken. */
export type RejectedHunk = { path: string | null; hunk: number | null; reason: string; detail: string }

export type ImproveResult = Delivered & {
  /** Made or changed. */
  files: JobFile[]
  deleted: string[]
  diff: string
  /** Whether nothing of the replies was left out. */
  complete: boolean
  rejectedHunks: RejectedHunk[]
  /** Tries after the first reply. */
  refinements: number
  /** What the person who was asked decided; null when nobody was. */
  decision: 'approve' | 'reject' | null
}

export type Verification = 'verified' | 'partially_verified' | 'unverified'

export type FixResult = ImproveResult & {
  resolution: { id: string; frames: MappedFrame[] }
  verification: Verification
  /** The command before the change; null when there was none to run. */
  baseline: ProgramRun | null
  after: ProgramRun | null
}
