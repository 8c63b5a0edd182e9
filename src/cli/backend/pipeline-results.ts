import type { JobFile } from '../../core/job.ts'

/** Results of the pipelines that write code, as the contract has them. */
export interface WireRun {
  exit_code: number | null
  stdout: string
  stderr: string
  timed_out: boolean
  duration_ms: number
  killed_by: string | null
  ready: boolean
}

export interface WireHeal {
  files: JobFile[]
  deleted: string[]
  diff: string
  healed: boolean
  stopped_because: string
  attempts: WireRun[]
}

export interface WireGenerated {
  files: JobFile[]
  entrypoint: string
  run: WireRun | null
  heal: WireHeal | null
}

/** Null where there is no repository, or nothing was committed. */
interface WireDelivery {
  base_commit: string | null
  branch: string | null
  commit: string | null
}

export type WireSelfHeal = WireHeal & WireDelivery

export interface WireImproved extends WireDelivery {
  files: JobFile[]
  deleted: string[]
  diff: string
  complete: boolean
  rejected_hunks: Array<{ path: string | null; reason: string; detail: string }>
  refinements: number
  decision: 'approve' | 'reject' | null
}

export interface WireFix extends WireImproved {
  verification: string
  baseline: WireRun | null
  after: WireRun | null
}

export const hasChanges = ({ files, deleted }: Pick<WireHeal, 'files' | 'deleted'>): boolean =>
  files.length + deleted.length > 0
