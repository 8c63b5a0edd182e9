import { FaultlineError } from '../../core/errors.ts'
import { runGit } from '../git/git-process.ts'
import { withUser, writeCloneState } from './clone-state.ts'
import { needUsedClone } from './clone-user.ts'
import { openLocalGit, type LocalGit } from './local-git.ts'
import type { OwnBranch } from './own-branches.ts'
import { isCommitId, isRefName } from './refs.ts'
import type { CloneContext } from './sync.ts'

/** A branch that was committed for a project: what cannot be fetched again. */
export interface BranchPack {
  /** Null: there is no such branch. */
  commit: string | null
  /** Commits that must be there before the pack can be read: what the branch began from. */
  bases: string[]
  /** What it has beyond these, as git packs it; null: nothing. */
  pack: Uint8Array | null
}

/** A branch to put back. */
export interface UnpackRequest extends OwnBranch {
  commit: string
  pack: Uint8Array | null
}

/** What projects have indexed and what was fetched beside that, all of which a remote gave. */
const FETCHED = ['refs/faultline/', 'refs/remotes/']

type Context = Pick<CloneContext, 'clonedReposDir' | 'searchPath' | 'mutexes'>

const damaged = (what: string): FaultlineError =>
  new FaultlineError('REPOSITORY_CORRUPT', `The branch of a job cannot be ${what}: git cannot read it.`)

async function idsOf(git: LocalGit, args: readonly string[], input: string): Promise<string[]> {
  const { exitCode, stdout } = await git.run(args, input)
  if (exitCode !== 0) throw damaged('packed')
  return stdout
    .toString()
    .split('\n')
    .filter(line => line !== '')
}

/**
 * Packs a branch that was committed for a project, without what a remote has of it. Not a bundle: git reads none that
 * was made of a shallow clone.
 *
 * @throws {FaultlineError} NOT_FOUND; REPOSITORY_CORRUPT; REPOSITORY_TOO_LARGE: more than 64 MiB.
 */
export async function packBranch(context: Context, of: OwnBranch, signal: AbortSignal): Promise<BranchPack> {
  const { searchPath } = context
  async function read(): Promise<BranchPack> {
    const { gitDir, user } = await needUsedClone(context, of)
    const git = openLocalGit(gitDir, { searchPath, signal })
    const isOwn = (user.branches ?? []).includes(of.branch)
    const commit = isOwn ? await git.commitOf(`refs/heads/${of.branch}`) : null
    if (commit === null) return { commit, bases: [], pack: null }
    const fetched = await idsOf(git, ['for-each-ref', '--format=%(objectname)', ...FETCHED], '')
    if (fetched.includes(commit)) return { commit, bases: [commit], pack: null }
    const wanted = [commit, ...fetched.map(id => `^${id}`)].join('\n')
    const commits = await idsOf(git, ['rev-list', '--boundary', '--stdin'], `${wanted}\n`)
    const bases = commits.filter(line => line.startsWith('-')).map(line => line.slice(1))
    const args = ['pack-objects', '--revs', '--stdout', '--quiet', '--delta-base-offset']
    const { exitCode, stdout } = await runGit(args, { gitDir, searchPath, signal, input: `${wanted}\n` })
    if (exitCode !== 0) throw damaged('packed')
    return { commit, bases, pack: stdout }
  }
  return await context.mutexes.run(of.repository.toLowerCase(), read, signal)
}

/** Whether all of a commit's files can be read. */
async function isComplete(git: LocalGit, commit: string): Promise<boolean> {
  if ((await git.commitOf(commit)) !== commit) return false
  return (await git.run(['rev-list', '--objects', '--no-walk', '--quiet', commit])).exitCode === 0
}

/**
 * Puts a branch into a clone that a project uses; one of the same name goes to where the pack has it. Idempotent.
 *
 * @returns Whether it is there; false where something of it is missing, whose bases are to be fetched first.
 * @throws {FaultlineError} NOT_FOUND: the project has no such clone; REPOSITORY_CORRUPT: git cannot read the pack.
 */
export async function unpackBranch(
  context: Context,
  { commit, pack, ...of }: UnpackRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const { searchPath } = context
  const { branch } = of
  async function write(): Promise<boolean> {
    if (!isRefName(branch) || !isCommitId(commit)) throw damaged('put back')
    const { gitDir, state, user } = await needUsedClone(context, of)
    const git = openLocalGit(gitDir, { searchPath, signal })
    if (pack !== null && !(await isComplete(git, commit))) {
      const input = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength)
      const { exitCode } = await runGit(['index-pack', '--stdin'], { gitDir, searchPath, signal, input })
      if (exitCode !== 0) throw damaged('put back')
    }
    if (!(await isComplete(git, commit))) return false
    await git.updateRefs([{ ref: `refs/heads/${branch}`, commit }])
    const branches = [...new Set([...(user.branches ?? []), branch])]
    await writeCloneState(gitDir, withUser(state, { ...user, branches }))
    return true
  }
  return await context.mutexes.run(of.repository.toLowerCase(), write, signal)
}
