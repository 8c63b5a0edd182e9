import { join } from 'node:path'
import type { JobAnswer } from '../contract/job.ts'
import type { TaskResultAnswer } from '../contract/task.ts'
import { shellArgument } from '../core/shell-word.ts'
import { listed } from '../text/listed.ts'
import { CliError, usageError } from './cli-error.ts'
import type { Session } from './session.ts'

/** Loaded only where something is merged: most commands need no git of this process. */
const loadMerging = () => import('../services/checkout-merge.ts')

async function isSetting(session: Session): Promise<boolean> {
  const { loadConfig } = await import('../config.ts')
  return loadConfig({ flags: session.flags, cwd: session.cwd }).tasks.autoMerge
}

/**
 * Whether a task is merged in the checkout of whoever asks, by the flag or else by AUTO_MERGE. Checks the checkout,
 * before anything has begun.
 *
 * @param repository - The repository on this machine; null where a project is named, which only the server can merge.
 * @throws {CliError} USAGE: the clone with the branch is on another machine.
 * @throws {FaultlineError} CHECKOUT_NOT_READY, with the command that helps.
 */
export async function mergesHere(
  session: Session,
  repository: string | null,
  autoMerge: boolean | undefined,
): Promise<boolean> {
  if (repository === null || autoMerge === false) return false
  if (session.isRemote) {
    if (autoMerge === undefined) return false
    throw usageError(
      '--auto-merge merges the branch from a clone on this machine, and the server may be on another one.',
      'Leave --server out (a server that holds the data folders of this machine is found), or leave --auto-merge out.',
    )
  }
  if (autoMerge === undefined && !(await isSetting(session))) return false
  const { checkMergeTarget } = await loadMerging()
  await checkMergeTarget(repository)
  return true
}

/** The commands that merge a branch of a clone by hand. */
export const mergeCommands = (clonesDir: string, { repository, branch }: TaskResultAnswer): string =>
  `git fetch ${shellArgument(join(clonesDir, repository ?? ''))} ${shellArgument(branch ?? '')} && ` +
  'git merge --no-ff FETCH_HEAD'

/**
 * Merges the branch of a task that passed into the checkout.
 *
 * @returns The job, whose result says that it is merged.
 * @throws {CliError} MERGE_CONFLICT; the checkout is as before.
 * @throws {FaultlineError} CHECKOUT_NOT_READY, MERGE_FAILED
 */
export async function mergeHere(
  session: Session,
  job: JobAnswer,
  { path, clonesDir, title }: { path: string; clonesDir: string; title: string },
): Promise<JobAnswer> {
  const result = job.result as TaskResultAnswer
  const { repository, branch, base_branch: into } = result
  if (repository === null || branch === null || into === null) return job
  const { mergeIntoCheckout } = await loadMerging()
  const byHand = `cd ${shellArgument(path)} && ${mergeCommands(clonesDir, result)}`
  const cloneDir = join(clonesDir, repository)
  const message = `Merge task ${result.task_number}: ${title}`
  const merged = await mergeIntoCheckout({ path, cloneDir, branch, into, message }).catch((error: unknown) => {
    session.output.note(`The task is done and its branch is there; by hand: ${byHand}`)
    throw error
  })
  if ('conflicts' in merged) {
    throw new CliError(
      'MERGE_CONFLICT',
      `${branch} conflicts with ${into} in ${listed(merged.conflicts)}. The checkout is as it was before.`,
      { fix: `Merge it by hand: ${byHand}` },
    )
  }
  return { ...job, result: { ...result, merged: true, merge_commit: merged.commit } }
}
