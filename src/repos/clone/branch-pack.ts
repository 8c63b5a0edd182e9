import { FaultlineError } from '../../core/errors.ts'
import { runGit } from '../git/git-process.ts'
import { withUser, writeCloneState } from './clone-state.ts'
import { findUsedClone, needUsedClone, type ProjectClone } from './clone-user.ts'
import { openLocalGit, type LocalGit } from './local-git.ts'
import { isCommitId, isRefName } from './refs.ts'
import type { CloneContext } from './sync.ts'

/** A branch that was committed for a project, and the commit that it is at. */
export interface PackedBranch {
  branch: string
  commit: string
}

/** The branches of a project in one clone: what cannot be fetched again. */
export interface BranchPack {
  branches: PackedBranch[]
  /** Commits that must be there before the pack can be read: what the branches began from. */
  bases: string[]
  /** What they have beyond these, as git packs it; null: nothing. */
  pack: Uint8Array | null
}

/** What was made of a pack. */
export interface UnpackedBranches {
  restored: string[]
  /** Those of which something is missing: their bases are to be fetched first. */
  incomplete: string[]
}

/** What projects have indexed, all of which a remote gave. */
const FETCHED = 'refs/faultline/'

type Context = Pick<CloneContext, 'clonedReposDir' | 'searchPath' | 'mutexes'>

const damaged = (what: string): FaultlineError =>
  new FaultlineError('REPOSITORY_CORRUPT', `The branches of a project cannot be ${what}: git cannot read them.`)

async function idsOf(git: LocalGit, args: readonly string[], input: string): Promise<string[]> {
  const { exitCode, stdout } = await git.run(args, input)
  if (exitCode !== 0) throw damaged('packed')
  return stdout
    .toString()
    .split('\n')
    .filter(line => line !== '')
}

/**
 * Packs the branches that were committed for a project, without what a remote has of them. Not a bundle: git reads none
 * that was made of a shallow clone.
 *
 * @throws {FaultlineError} NOT_FOUND; REPOSITORY_CORRUPT; REPOSITORY_TOO_LARGE: more than 64 MiB.
 */
export async function packBranches(context: Context, of: ProjectClone, signal: AbortSignal): Promise<BranchPack> {
  const { searchPath } = context
  async function read(): Promise<BranchPack> {
    const { gitDir, user } = await needUsedClone(context, of)
    const git = openLocalGit(gitDir, { searchPath, signal })
    const branches: PackedBranch[] = []
    for (const branch of user.branches ?? []) {
      const commit = await git.commitOf(`refs/heads/${branch}`)
      if (commit !== null) branches.push({ branch, commit })
    }
    if (branches.length === 0) return { branches, bases: [], pack: null }
    const fetched = await idsOf(git, ['for-each-ref', '--format=%(objectname)', FETCHED], '')
    const wanted = [...branches.map(({ commit }) => commit), ...fetched.map(id => `^${id}`)].join('\n')
    const commits = await idsOf(git, ['rev-list', '--boundary', '--stdin'], `${wanted}\n`)
    const bases = commits.filter(line => line.startsWith('-')).map(line => line.slice(1))
    const args = ['pack-objects', '--revs', '--stdout', '--quiet', '--delta-base-offset']
    const { exitCode, stdout } = await runGit(args, { gitDir, searchPath, signal, input: `${wanted}\n` })
    if (exitCode !== 0) throw damaged('packed')
    return { branches, bases, pack: stdout }
  }
  return await context.mutexes.run(of.repository.toLowerCase(), read, signal)
}

/** Whether all of a commit's files can be read. */
async function isComplete(git: LocalGit, commit: string): Promise<boolean> {
  if ((await git.commitOf(commit)) !== commit) return false
  return (await git.run(['rev-list', '--objects', '--no-walk', '--quiet', commit])).exitCode === 0
}

/**
 * Puts the branches of a pack into a clone that a project uses. Branches of the same names go to where the pack has
 * them. Idempotent.
 *
 * @throws {FaultlineError} NOT_FOUND: the project has no such clone; REPOSITORY_CORRUPT: git cannot read the pack.
 */
export async function unpackBranches(
  context: Context,
  { branches, pack, ...of }: ProjectClone & Pick<BranchPack, 'branches' | 'pack'>,
  signal: AbortSignal,
): Promise<UnpackedBranches> {
  const { searchPath } = context
  async function write(): Promise<UnpackedBranches> {
    const { gitDir } = await needUsedClone(context, of)
    const git = openLocalGit(gitDir, { searchPath, signal })
    if (pack !== null) {
      const input = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength)
      const { exitCode } = await runGit(['index-pack', '--stdin'], { gitDir, searchPath, signal, input })
      if (exitCode !== 0) throw damaged('put back')
    }
    const restored: PackedBranch[] = []
    const incomplete: string[] = []
    for (const one of branches) {
      if (!isRefName(one.branch) || !isCommitId(one.commit)) throw damaged('put back')
      if (await isComplete(git, one.commit)) restored.push(one)
      else incomplete.push(one.branch)
    }
    await git.updateRefs(restored.map(({ branch, commit }) => ({ ref: `refs/heads/${branch}`, commit })))
    const used = await findUsedClone(context, of)
    const names = restored.map(({ branch }) => branch)
    if (used !== null && names.length > 0) {
      const all = [...new Set([...(used.user.branches ?? []), ...names])]
      await writeCloneState(gitDir, withUser(used.state, { ...used.user, branches: all }))
    }
    return { restored: names, incomplete }
  }
  return await context.mutexes.run(of.repository.toLowerCase(), write, signal)
}
