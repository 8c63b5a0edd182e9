import { randomUUID } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { scrub } from '../git/git-errors.ts'
import { runUserGit } from '../git/user-git.ts'
import { checkMergeTarget, shownPaths, uncommittedPaths, type MergeTarget } from './merge-target.ts'

/** A branch of a clone of ours, and the checkout that it is merged into. */
interface CheckoutMerge {
  /** A folder of the checkout. */
  path: string
  /** The clone that has the branch. */
  cloneDir: string
  branch: string
  /** The branch that has to be checked out. */
  into: string
  message: string
}

/** The commit that the checkout is at now, or the paths that both sides changed. */
type CheckoutMerged = { commit: string } | { conflicts: string[] }

const MAX_WORDS = 500

const mergeFailed = (message: string, fix: string): FaultlineError => new FaultlineError('MERGE_FAILED', message, fix)

/** What git said, for the person whose git it is. */
function wordsOf({ stdout, stderr }: { stdout: Buffer; stderr: string }): string {
  const words = scrub(`${stderr}\n${stdout.toString()}`).replace(/\s+/g, ' ').trim()
  return words === '' ? 'Git gave no reason.' : words.slice(0, MAX_WORDS)
}

const namesIn = (output: Buffer): string[] => [...new Set(output.toString().split('\0'))].filter(name => name !== '')

async function must(root: string, args: readonly string[]): Promise<Buffer> {
  const outcome = await runUserGit(root, args)
  if (outcome.exitCode === 0) return outcome.stdout
  throw mergeFailed(`git ${args[0]} did not work in the checkout: ${wordsOf(outcome)}`, 'Merge the branch by hand.')
}

function parentsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'))
}

/**
 * Files that git does not track where the merge would put something. Git itself would overwrite those that are ignored
 * without a word.
 */
async function untrackedInTheWay(root: string, tip: string): Promise<string[]> {
  const added = namesIn(await must(root, ['diff', '--name-only', '-z', '--no-renames', '--diff-filter=A', 'HEAD', tip]))
  const isThere = async (path: string, isParent: boolean): Promise<boolean> => {
    const stats = await lstat(join(root, path)).catch(() => null)
    return stats !== null && !(isParent && stats.isDirectory())
  }
  const places = new Set<string>()
  for (const path of added) {
    if (await isThere(path, false)) places.add(path)
    for (const parent of parentsOf(path)) if (!places.has(parent) && (await isThere(parent, true))) places.add(parent)
  }
  if (places.size === 0) return []
  return namesIn(await must(root, ['--literal-pathspecs', 'ls-files', '--others', '-z', '--', ...places]))
}

/** The conflicts of a merge, found without touching the checkout; null where this git cannot tell. */
async function foreseenConflicts(root: string, tip: string): Promise<string[] | null> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', 'HEAD', tip]
  const { exitCode, stdout } = await runUserGit(root, args)
  return exitCode > 1 ? null : namesIn(stdout).slice(1)
}

/** Takes back what a merge began, and looks whether that is gone. */
async function abort({ root, commit }: MergeTarget): Promise<void> {
  await runUserGit(root, ['merge', '--abort'])
  const isSame = (await must(root, ['rev-parse', 'HEAD'])).toString().trim() === commit
  const isOver = (await runUserGit(root, ['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'])).exitCode !== 0
  if (isSame && isOver && (await uncommittedPaths(root)).length === 0) return
  throw mergeFailed(
    'The merge failed, and the checkout is not as it was before.',
    'Look at git status; git merge --abort.',
  )
}

async function merge(target: MergeTarget, tip: string, message: string): Promise<CheckoutMerged> {
  const { root } = target
  const settings = ['-c', 'rerere.enabled=false', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false']
  const how = ['--no-ff', '--commit', '--no-squash', '--no-edit', '--no-log', '--no-autostash', '--no-progress']
  const outcome = await runUserGit(root, [...settings, 'merge', ...how, '-m', message, tip])
  if (outcome.exitCode === 0) return { commit: (await must(root, ['rev-parse', 'HEAD'])).toString().trim() }
  const unmerged = namesIn(await must(root, ['diff', '--name-only', '-z', '--diff-filter=U']))
  if ((await runUserGit(root, ['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'])).exitCode === 0) await abort(target)
  if (unmerged.length > 0) return { conflicts: unmerged }
  throw mergeFailed(
    `Git did not merge the branch: ${wordsOf(outcome)}`,
    'Mend what it says, then merge the branch by hand.',
  )
}

/**
 * Merges a branch of a clone into a person's checkout, as `git merge --no-ff` of that person: with the identity, the
 * hooks and the signing that are configured there. The branch is fetched into a temporary ref, which is removed. On a
 * conflict, and when a hook refuses, the checkout, its index and its branches are as before.
 *
 * @throws {FaultlineError} CHECKOUT_NOT_READY: as `checkMergeTarget`, and for files in the way that git does not track.
 * MERGE_FAILED: a hook refused, git knows no identity, the clone cannot be read and the like. GIT_NOT_FOUND.
 */
export async function mergeIntoCheckout(request: CheckoutMerge): Promise<CheckoutMerged> {
  const { path, cloneDir, branch, into, message } = request
  const target = await checkMergeTarget(path, into)
  const { root, commit } = target
  const ref = `refs/faultline/merge-${randomUUID()}`
  const fetch = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance']
  try {
    await must(root, ['fetch', ...fetch, '--no-prune', '--', cloneDir, `+refs/heads/${branch}:${ref}`])
    if ((await runUserGit(root, ['merge-base', '--is-ancestor', ref, 'HEAD'])).exitCode === 0) return { commit }
    const inTheWay = await untrackedInTheWay(root, ref)
    if (inTheWay.length > 0) {
      throw new FaultlineError(
        'CHECKOUT_NOT_READY',
        `Files that git does not track are in the way of the merge: ${shownPaths(inTheWay)}.`,
        'Move them away, or commit them, then merge the branch.',
      )
    }
    const conflicts = await foreseenConflicts(root, ref)
    if (conflicts !== null && conflicts.length > 0) return { conflicts }
    return await merge(target, ref, message)
  } finally {
    await runUserGit(root, ['update-ref', '-d', ref])
  }
}
