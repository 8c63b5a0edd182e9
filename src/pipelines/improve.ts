import type { DialogueMessage } from '../core/dialogue.ts'
import { FaultlineError } from '../core/errors.ts'
import type { ImproveResult, RejectedHunk } from '../core/generation.ts'
import type { Budget, JsonObject } from '../core/job.ts'
import type { JobDefinition } from '../jobs/jobs.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { AskModel } from './steps/ask-model.ts'
import { NO_CHANGES, sentFiles } from './steps/base-files.ts'
import { says } from './steps/dialogues.ts'
import { improveDialogue, improveFiles } from './steps/improve-files.ts'
import { filesOf } from './steps/kept-files.ts'
import { outcomeOf } from './steps/outcome.ts'
import { createPhases } from './steps/phases.ts'
import { review } from './steps/review.ts'

/** The body of `POST /improve`, as the job keeps it. */
export type ImproveInput = {
  prompt: string
  files?: Record<string, string>
  project_name?: string
  job_id?: string
  select?: string[]
  select_toml?: string
  lint?: boolean
  review?: 'ask' | 'auto'
  max_refinements?: number
  allow_partial?: boolean
  allow_paths?: string[]
  push?: boolean
  model?: string
  temperature?: number
  budget?: Budget
  callback_url?: string
}

export interface ImproveDeps {
  model: AskModel
  sandbox: Pick<Sandbox, 'fill' | 'run' | 'remove'>
}

const MAX_REFINEMENTS = 3

/** gpt-engineer's improvement of existing code by checked diffs. */
export function createImprovePipeline ({ model, sandbox }: ImproveDeps): JobDefinition {
  return {
    projectName: input => asInput(input).project_name ?? null,
    exclusiveKey: () => null,
    async run (job) {
      const input = asInput(job.input)
      const enter = createPhases(job, ['files', 'improve', 'review_changes'])
      enter('files', 'taking the files')
      const files = filesOf(input.files)
      const base = sentFiles(files, sandbox)
      await job.step('files', async () => { await job.files.put(files) })
      enter('improve', 'asking for changes')
      const { changes, touched, rejected, refinements } = await improveFiles(job, model, {
        base, changes: NO_CHANGES, shown: [...files.keys()], request: input.prompt, maxRefinements: input.max_refinements ?? MAX_REFINEMENTS, model: input.model, temperature: input.temperature,
      })
      const outcome = await job.step('diff', () => outcomeOf(job, base, changes))
      if (rejected.length > 0 && (touched.length === 0 || input.allow_partial !== true)) throw editsRejected(rejected, touched.length > 0)
      enter('review_changes', 'waiting for a decision')
      const decision = await review(job, { diff: outcome.diff, rejected, whether: input.review ?? 'ask' })
      const result: ImproveResult = { ...outcome, baseCommit: base.commit, complete: rejected.length === 0, rejectedHunks: rejected, refinements, branch: null, commit: null, decision }
      return decision === 'reject' ? { ...result, files: [], deleted: [] } : result
    },
  }
}

/** What the model is asked first, for `dry_run`. */
export const firstImproveDialogue = ({ prompt, files }: ImproveInput): DialogueMessage[] => improveDialogue(filesOf(files), [says(prompt)])

function editsRejected (rejected: readonly RejectedHunk[], isPartly: boolean): FaultlineError {
  const reasons = rejected.slice(0, 5).map(({ path, hunk, reason, detail }) => `${path ?? 'the reply'}${hunk === null ? '' : `, hunk ${hunk}`}: ${reason}: ${detail}`).join('; ')
  return new FaultlineError('EDITS_REJECTED', `${rejected.length} ${rejected.length === 1 ? 'edit' : 'edits'} of the model could not be applied: ${reasons}`.slice(0, 4000),
    isPartly ? 'GET /jobs/{id}/diff has those that could; "allow_partial": true takes them. POST /jobs/{id}/retry tries again.' : 'GET /jobs/{id}/transcript shows what it wrote. POST /jobs/{id}/retry tries again; another model may do better.')
}

function asInput (input: JsonObject): ImproveInput {
  if (typeof input.prompt !== 'string') throw new FaultlineError('BAD_REQUEST', 'The stored body of this improve job is not complete.', 'POST /improve again.')
  return input as ImproveInput
}
