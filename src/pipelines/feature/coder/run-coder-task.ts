import { unifiedDiff } from '../../../edits/write/unified-diff.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { currentFiles, type Changes } from '../../steps/base/base-files.ts'
import type { CommittedFiles } from '../../steps/base/committed-files.ts'
import type { ProjectBase } from '../../steps/base/project-base.ts'
import type { FeatureRules } from '../rules.ts'
import { aiderCoder, type AiderDeps } from './aider.ts'
import { ownCoder, type OwnCoderDeps } from './own-coder.ts'

/** What running a task of the coder needs. */
export interface CoderTaskDeps extends OwnCoderDeps, Omit<AiderDeps, 'model'> {}

/** One task, in the seed's words. */
export interface CoderTaskInput {
  instruction: string
  /** That are to be changed or made. */
  files: string[]
  /** That are shown. */
  readOnlyFiles?: string[]
  /** Default: 3. */
  maxRetries?: number
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

/**
 * Makes the skill `run_coder_task` of one feature, over our own coder or the external one. The diff is against the
 * project: what earlier tasks changed of the same files is in it.
 *
 * @returns A function that throws OUT_OF_SCOPE where the coder insists on a change that it may not make.
 */
export function createRunCoderTask(job: JobContext, deps: CoderTaskDeps, feature: CoderFeature): RunCoderTask {
  const { base } = feature
  const coder = feature.coder === 'aider' ? aiderCoder : ownCoder
  return async (input, on) => {
    const { success, changes, touched, output, errors } = await coder(job, deps, feature, { input, on })
    const told = await job.step('code.diff', async () => {
      const [before, after] = [new Map<string, string>(), new Map<string, string | null>()]
      for (const path of touched) {
        const text = await base.read(path)
        if (text !== null) before.set(path, text)
        after.set(path, await currentFiles(job, base, changes).read(path))
      }
      const filesChanged = touched.filter(path => (before.get(path) ?? null) !== after.get(path))
      await job.audit({
        action: 'feature.code',
        target: (filesChanged.length === 0 ? input.files : filesChanged).join(', '),
        outcome: success ? 'done' : 'failed',
      })
      return { filesChanged, diff: unifiedDiff(before, after) }
    })
    return { success, ...told, aiderOutput: output, errors, changes }
  }
}
