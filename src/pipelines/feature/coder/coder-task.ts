import type { Changes } from '../../steps/base/base-files.ts'
import type { CommittedFiles } from '../../steps/base/committed-files.ts'
import type { ProjectBase } from '../../steps/base/project-base.ts'
import type { FeatureRules } from '../rules.ts'

/** One task, in the seed's words. */
export interface CoderTaskInput {
  instruction: string
  /** That are to be changed or made. */
  files: string[]
  /** That are shown. */
  readOnlyFiles?: string[]
  /** Default: 3. */
  maxRetries?: number
  /** Whether the files may be right as they are, so that a coder who changes nothing succeeds; default: false. */
  mayStay?: boolean
  /** Of one run of an external coder, in milliseconds; default: two minutes. */
  timeout?: number
}

/** What came of it. */
export interface CoderTaskOutput {
  success: boolean
  filesChanged: string[]
  diff: string
  /** What the coder said. */
  aiderOutput: string
  errors?: string[]
}

/** Where the feature stands, for the system prompt. */
export interface CoderState {
  branch: string | null
  pendingFiles: readonly string[]
  lastError: string | null
}

/** What a task is done on. */
export interface On {
  changes: Changes
  state: CoderState
  /** Files as the templates made them, of which nothing has to stay; default: none. */
  skeletons?: readonly string[]
}

/** Has a coder do one task. */
export type RunCoderTask = (input: CoderTaskInput, on: On) => Promise<CoderTaskOutput & { changes: Changes }>

/** The feature that tasks are for. */
export interface CoderFeature {
  base: CommittedFiles
  at: ProjectBase['at']
  rules: FeatureRules
  /** Why a file may not be changed; null for one that may. */
  refusal: (path: string) => Promise<string | null>
  coder: 'own' | 'aider'
  /** The person's words. */
  asked: string
  model?: string
  temperature?: number
}

/** What a coder of either kind makes of a task. */
export interface CodedFiles {
  success: boolean
  changes: Changes
  touched: readonly string[]
  output: string
  errors: string[]
}
