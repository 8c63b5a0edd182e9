import type { TaskInput, TaskTests } from '../../contract/task.ts'
import { taskTitle } from '../../core/task.ts'
import { commitMessage } from '../../edits/write/commit-message.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { NOT_PUBLISHED, publish, type PublishDeps } from '../steps/result/publish.ts'
import type { RunEvidence } from '../../text/pull-request.ts'
import type { Attempted } from './attempt.ts'
import { mergeIntoBase, tryMerge, type MergeDeps } from '../steps/result/merge-branch.ts'

/** What finishing a task needs. */
export interface FinishDeps extends PublishDeps, MergeDeps {
  git: PublishDeps['git'] & MergeDeps['git']
}

/** What became of the branch of an attempt that passed. */
export type Finished =
  | { mergeCommit: string | null; merged: boolean; pullRequestUrl: string | null; compareUrl: string | null }
  | { conflict: string }

function labelOf({ passed }: TaskTests): string {
  if (passed === null) return 'nobody ran it'
  return passed ? 'checks passed' : 'checks failed before, too'
}

/** What a pull request says of the checks. */
function evidenceOf({ record: { tests } }: Attempted): RunEvidence | null {
  if (tests === null) return null
  const runs = tests.checks.flatMap(({ command, status, before, exitCode: after }) =>
    command === null || status === 'skipped' ? [] : [{ kind: 'whole' as const, command, before, after }],
  )
  return { label: labelOf(tests), reason: tests.summary, runs, tests: null }
}

/** Pushes the branch, and asks for its review where the forge is known. */
async function push(job: JobContext, deps: FinishDeps, input: TaskInput, attempted: Attempted) {
  const { record, base, thinking } = attempted
  if (record.commit === null) throw new Error('An attempt that passed has no commit.')
  return await publish(job, deps, {
    fault: null,
    runs: evidenceOf(attempted),
    guards: record.tests?.guards ?? [],
    at: base.at,
    made: { branch: record.branch, commit: record.commit },
    prompt: record.commitMessage ?? taskTitle(input.description),
    isDraft: input.draft ?? true,
    explanation: thinking,
    diff: record.diff,
    leftOut: 0,
  })
}

/** Merges, pushes or leaves the branch of an attempt that passed, as the task asks. */
export async function finish(
  job: JobContext,
  deps: FinishDeps,
  { input, task, attempted }: { input: TaskInput; task: number; attempted: Attempted },
): Promise<Finished> {
  const { base, record } = attempted
  const merge = {
    at: base.at,
    branch: record.branch,
    baseBranch: base.branch,
    message: `${commitMessage(`Merge task ${task}: ${taskTitle(input.description)}`)}\nBranch: ${record.branch}\n`,
  }
  if (input.auto_merge === true && input.merge_by === 'client') {
    const tried = await tryMerge(job, deps, merge)
    if (!tried.merged) return { conflict: tried.message }
  } else if (input.auto_merge === true) {
    const merged = await mergeIntoBase(job, deps, merge)
    if (!merged.merged) return { conflict: merged.message }
    return { ...NOT_PUBLISHED, merged: true, mergeCommit: merged.commit }
  }
  const published = input.push === true ? await push(job, deps, input, attempted) : NOT_PUBLISHED
  return { ...published, merged: false, mergeCommit: null }
}
