import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { runUserGit } from '../git/user-git.ts'
import { readStatus } from './status.ts'

/** A checkout that a branch can be merged into. */
export interface MergeTarget {
  /** The folder of the work tree. */
  root: string
  /** The branch that is checked out. */
  branch: string
  commit: string
}

const MAX_SHOWN = 5

/** What git leaves while something is under way, and the commands that end it. */
const UNDER_WAY = [
  { file: 'rebase-merge', what: 'A rebase', command: 'git rebase --continue or git rebase --abort' },
  { file: 'rebase-apply', what: 'A rebase, or git am,', command: 'git rebase --abort or git am --abort' },
  { file: 'MERGE_HEAD', what: 'A merge', command: 'git merge --continue or git merge --abort' },
  { file: 'CHERRY_PICK_HEAD', what: 'A cherry-pick', command: 'git cherry-pick --continue or git cherry-pick --abort' },
  { file: 'REVERT_HEAD', what: 'A revert', command: 'git revert --continue or git revert --abort' },
] as const

const notReady = (message: string, fix: string): FaultlineError =>
  new FaultlineError('CHECKOUT_NOT_READY', message, fix)

/** Names of files for a message: the first of them, and how many more there are. */
export function shownPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_SHOWN).map(path => JSON.stringify(path))
  return paths.length > MAX_SHOWN ? `${shown.join(', ')} and ${paths.length - MAX_SHOWN} more` : shown.join(', ')
}

/** The first line that git prints; null where it fails. */
async function lineOf(folder: string, ...args: string[]): Promise<string | null> {
  const { exitCode, stdout } = await runUserGit(folder, args)
  const [line = ''] = stdout.toString().split('\n', 1)
  return exitCode === 0 ? line : null
}

async function rootOf(path: string): Promise<string> {
  const root = existsSync(path) ? await lineOf(path, 'rev-parse', '--show-toplevel') : null
  if (root !== null && root !== '') return root
  throw notReady(
    'There is no checkout of a git repository to merge into.',
    'Name a folder with a work tree, or leave --auto-merge out.',
  )
}

/** What is under way in a work tree, such as a rebase; null where nothing is. */
async function underWay(root: string): Promise<(typeof UNDER_WAY)[number] | null> {
  const named = UNDER_WAY.flatMap(({ file }) => ['--git-path', file])
  const { stdout } = await runUserGit(root, ['rev-parse', ...named])
  const paths = stdout.toString().split('\n')
  return UNDER_WAY.find((_entry, index) => existsSync(resolve(root, paths[index] ?? ''))) ?? null
}

/** The branch that a person merges into: what `origin/HEAD` names, then main, then master. */
async function defaultBranchOf(root: string): Promise<string | null> {
  const origin = await lineOf(root, 'symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD')
  const first = origin?.replace('refs/remotes/origin/', '')
  for (const name of [first, 'main', 'master']) {
    if (name !== undefined && (await lineOf(root, 'rev-parse', '--verify', '--quiet', `refs/heads/${name}`))) {
      return name
    }
  }
  return null
}

/** Tracked files that differ from the last commit. */
export async function uncommittedPaths(root: string): Promise<string[]> {
  const { stdout } = await runUserGit(root, [
    'status',
    '--porcelain=v2',
    '-z',
    '--untracked-files=no',
    '--no-renames',
    '--ignore-submodules=dirty',
  ])
  return readStatus(stdout).map(({ path }) => Buffer.from(path, 'latin1').toString())
}

/**
 * Checks that a branch can be merged in a checkout, with the person's own git. Nothing is written.
 *
 * @param wanted - The branch that has to be checked out; the default branch of the repository unless given.
 * @throws {FaultlineError} CHECKOUT_NOT_READY, with the command that helps: no work tree, changes that are not
 * committed, another branch, a detached HEAD, no commit yet, a merge or a rebase under way. GIT_NOT_FOUND.
 */
export async function checkMergeTarget(path: string, wanted?: string): Promise<MergeTarget> {
  const root = await rootOf(path)
  const going = await underWay(root)
  if (going !== null) throw notReady(`${going.what} is under way in the checkout.`, `End it first: ${going.command}.`)
  const branch = (await lineOf(root, 'symbolic-ref', '--quiet', 'HEAD'))?.replace(/^refs\/heads\//, '') ?? null
  const commit = await lineOf(root, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}')
  if (branch !== null && commit === null) {
    throw notReady(`The branch "${branch}" of the checkout has no commit yet.`, 'Commit something, then run again.')
  }
  const needed = wanted ?? (await defaultBranchOf(root)) ?? branch
  const change = needed === null ? 'git switch BRANCH' : `git switch ${needed}`
  if (branch === null || commit === null) {
    throw notReady('The checkout is at a commit and not at a branch (detached HEAD).', `${change}, then run again.`)
  }
  if (branch !== needed) {
    throw notReady(`The checkout is at "${branch}", and the merge goes into "${needed}".`, `${change}, then run again.`)
  }
  const changed = await uncommittedPaths(root)
  if (changed.length > 0) {
    throw notReady(
      `The checkout has changes that are not committed: ${shownPaths(changed)}.`,
      'Commit them, or put them aside: git stash.',
    )
  }
  return { root, branch, commit }
}
