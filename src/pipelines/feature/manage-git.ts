import { FaultlineError } from '../../core/errors.ts'
import { commitMessage } from '../../edits/write/commit-message.ts'
import type { FeatureWriter, JobContext } from '../../jobs/job-context.ts'
import type { CommitReader } from '../../repos/objects/commit-reader.ts'
import type { Repos } from '../../repos/repos.ts'
import { currentFiles, type BaseFiles, type Changes } from '../steps/base/base-files.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'
import { nextBranchName } from './branch-names.ts'
import { isWithin, type FeatureRules } from './rules.ts'

/** What managing the branch of a feature needs. */
export interface ManageGitDeps {
  git: Pick<Repos, 'branchesTaken' | 'commitFiles' | 'push' | 'deleteBranch' | 'deleteRemoteBranch'> &
    Pick<CommitReader, 'formatPatch'>
}

/** One operation, in the seed's words. */
interface GitOperation {
  action: 'create_branch' | 'commit' | 'push' | 'delete_branch'
  branchName: string
  commitMessage?: string
  /** Files, and folders that end with a slash, of which what changed is committed. */
  files?: readonly string[]
}

/** What a commit is made of. */
interface Committing {
  changes: Changes
  /** The base, or the feature's last commit. */
  parent: string
}

/** What came of an operation; the branch or the commit where it made one. */
export interface GitDone {
  success: boolean
  message: string
  branch?: string
  commit?: string
}

/** Carries out operations of git for one feature. */
export type ManageGit = (operation: GitOperation, on?: Committing) => Promise<GitDone>

/** The feature that they are for. */
interface ManagedFeature {
  at: ProjectBase['at']
  base: BaseFiles
  baseBranch: string
  rules: Pick<FeatureRules, 'commitStyle'>
  feature: FeatureWriter
}

const MAX_NAMES = 50
const CONVENTIONAL = /^(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([^)]*\))?!?: /

/** The message of a commit: Conventional Commits where the project wants them, and whose job made it. */
export function featureMessage(words: string, style: FeatureRules['commitStyle'], jobId: string): string {
  const text = words.trim()
  const lowered = /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
  const prefixed = style === 'plain' || CONVENTIONAL.test(text) ? text : `feat: ${lowered}`
  return `${commitMessage(prefixed.replace(/\.(?=\s*$)/, ''))}\nFaultline-Job: ${jobId}\n`
}

/** An expected failure as an outcome; anything else is thrown on. */
function asOutcome(error: unknown, signal: AbortSignal): GitDone {
  signal.throwIfAborted()
  if (!(error instanceof FaultlineError) || error.code === 'SHUTTING_DOWN' || error.code === 'DISK_FULL') throw error
  return { success: false, message: `${error.message} ${error.fix ?? ''}`.trim() }
}

/**
 * Makes the skill `manage_git`, whose operations are steps with an entry of the audit log each. What a remote refuses
 * is told, not thrown.
 */
export function createManageGit(
  job: JobContext,
  { git }: ManageGitDeps,
  { at, base, baseBranch, rules, feature }: ManagedFeature,
): ManageGit {
  const { projectName, repository } = at
  const of = { projectName, repository }
  let date = 0 // of the commit: the same when it is made again after a kill

  /** Takes the first name that neither the clone nor the remote nor another feature has. */
  async function createBranch({ branchName }: GitOperation, signal: AbortSignal): Promise<GitDone> {
    const names = [branchName]
    while (names.length < MAX_NAMES) names.push(nextBranchName(names.at(-1) ?? branchName))
    const { taken, notAsked } = await git.branchesTaken({ ...of, names }, signal)
    if (notAsked !== null) job.log(`The remote was not asked which branches it has. ${notAsked}`)
    const unusable = new Set([...taken, baseBranch])
    const from = { repository, baseBranch, baseCommit: at.commit }
    for (const branch of names) {
      if (unusable.has(branch) || !(await feature.claim({ ...from, branch }))) continue
      return { success: true, message: `The branch is ${branch}.`, branch }
    }
    return { success: false, message: `The branch ${branchName} is taken, and so are ${MAX_NAMES - 1} versions of it.` }
  }

  async function commit(operation: GitOperation, on: Committing, signal: AbortSignal): Promise<GitDone> {
    const { branchName: branch, commitMessage: words = branch, files: chosen = [] } = operation
    const { changes, parent } = on
    const current = currentFiles(job, base, changes)
    const files: Array<[string, string | null]> = []
    const leftOut: string[] = []
    for (const path of [...changes.changed, ...changes.deleted]) {
      const after = await current.read(path)
      if (!isWithin(chosen, path)) leftOut.push(path)
      else files.push([path, after]) // also what an earlier commit of the feature made, and a later one took away
    }
    if (files.length === 0) return { success: false, message: 'There is nothing to commit.' }
    const message = featureMessage(words, rules.commitStyle, job.id)
    const request = { ...of, branch, base: parent, files: Object.fromEntries(files), message, date }
    const made = await git.commitFiles(request, signal)
    await feature.update({ commit: made.commit })
    await job.setPatch(await git.formatPatch({ repository, commit: made.commit, since: at.commit }))
    const beside = leftOut.length === 0 ? '' : ` Left out: ${leftOut.join(', ')}.`
    return { success: true, message: `Committed to ${branch}: ${made.commit}.${beside}`, commit: made.commit }
  }

  async function push({ branchName: branch }: GitOperation, signal: AbortSignal): Promise<GitDone> {
    const { commit = null, pushedCommit: pushed = null } = (await feature.own()) ?? {}
    await feature.update({ isPushed: true }) // before it is: what may be there is deleted when the feature is aborted
    await git.push({ ...of, branch, own: { base: at.commit, pushed } }, signal)
    await feature.update({ pushedCommit: commit })
    return { success: true, message: `Pushed the branch ${branch}.`, branch }
  }

  async function deleteBranch(
    { branchName: branch }: GitOperation,
    on: Committing,
    signal: AbortSignal,
  ): Promise<GitDone> {
    const there = await git.deleteRemoteBranch({ ...of, branch, commit: on.parent, base: at.commit }, signal)
    await git.deleteBranch({ ...of, branch }, signal)
    return { success: there !== 'kept', message: `${branch}: ${there} on the remote, deleted here.` }
  }

  async function carryOut(operation: GitOperation, on: Committing, signal: AbortSignal): Promise<GitDone> {
    const { action } = operation
    try {
      if (action === 'create_branch') return await createBranch(operation, signal)
      if (action === 'commit') return await commit(operation, on, signal)
      return action === 'push' ? await push(operation, signal) : await deleteBranch(operation, on, signal)
    } catch (error) {
      return asOutcome(error, signal)
    }
  }

  return async (operation, on = { changes: { changed: [], deleted: [] }, parent: at.commit }) => {
    const { action, branchName } = operation
    if (action === 'commit') date = await job.step('commit.date', async () => Math.floor(Date.now() / 1000))
    return job.step(`git.${action}`, async signal => {
      const done = await carryOut(operation, on, signal)
      job.log(done.message)
      const outcome = done.success ? 'done' : 'refused'
      await job.audit({ action: `feature.${action}`, target: done.branch ?? branchName, outcome })
      return done
    })
  }
}
