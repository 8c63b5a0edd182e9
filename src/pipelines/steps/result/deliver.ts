import { commitMessage } from '../../../edits/write/commit-message.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { CommitReader } from '../../../repos/objects/commit-reader.ts'
import type { Repos } from '../../../repos/repos.ts'
import { currentFiles, splitChanges, type BaseFiles, type Changes } from '../base/base-files.ts'
import type { ProjectBase } from '../base/project-base.ts'

/** What committing changes needs. */
export interface DeliverDeps {
  git: Pick<Repos, 'commitFiles'> & Pick<CommitReader, 'formatPatch'>
}

/** Changes with a commit of their own, before that of the rest. */
export interface ApartCommit {
  paths: readonly string[]
  /** In whose words the commit says what it does. */
  prompt: string
}

/** What is to be committed. */
export interface Delivery {
  at: ProjectBase['at']
  base: BaseFiles
  changes: Changes
  /** A part of the changes that is committed before the rest. */
  first?: ApartCommit
  /** In whose words the commit says what it does. */
  prompt: string
}

/** What a job has instead of a delivery when it commits nothing. */
export const NOT_DELIVERED = { branch: null, commit: null }

/** What differs from the base, null for what is gone. */
async function filesOf(job: JobContext, base: BaseFiles, changes: Changes): Promise<Record<string, string | null>> {
  const current = currentFiles(job, base, changes)
  const files: Array<[string, string | null]> = []
  for (const path of [...changes.changed, ...changes.deleted]) {
    const [before, after] = [await base.read(path), await current.read(path)]
    if (before !== after) files.push([path, after])
  }
  return Object.fromEntries(files)
}

/**
 * Commits what a job changed of a project to its own branch, and keeps the commit as the job's patch.
 *
 * @throws {FaultlineError} NOT_FOUND: the clone is gone, or its commit. BAD_PATH; DISK_FULL.
 */
export async function deliver(
  job: JobContext,
  { git }: DeliverDeps,
  { at: { projectName, repository, commit: parent }, base, changes, first, prompt }: Delivery,
): Promise<{ branch: string; commit: string }> {
  const branch = `faultline/${job.id}`
  // the same when the commit is made again after a kill
  const date = await job.step('commit.date', async () => Math.floor(Date.now() / 1000))
  async function add(onto: string, words: string, paths: Changes, signal: AbortSignal): Promise<string> {
    const files = await filesOf(job, base, paths)
    const message = commitMessage(words)
    const request = { repository, projectName, branch, base: onto, files, message, date }
    return (await git.commitFiles(request, signal)).commit
  }
  const parts = splitChanges(changes, first?.paths ?? [])
  // a step of its own: made again, it would not fit a branch that holds the second commit by then
  const firstCommit =
    first === undefined
      ? null
      : await job.step('commit.first', signal => add(parent, first.prompt, parts.first, signal))
  return await job.step('commit', async signal => {
    const commit = await add(firstCommit ?? parent, prompt, parts.rest, signal)
    await job.setPatch(await git.formatPatch({ repository, commit, since: parent }))
    job.log(`Committed to the branch ${branch} of the clone: ${commit}.`)
    return { branch, commit }
  })
}
