import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { runGit, type GitOutcome } from '../git/git-process.ts'
import { isCommitId, isRefName, isShortCommitId } from './refs.ts'

/** Queries and small changes of one clone; none touches the network. */
export interface LocalGit {
  gitDir: string
  /** Creates the clone's empty repository; its folder must exist. */
  init(): Promise<void>
  /** The commit behind a name that git itself defines, e.g. a full ref; null when there is none. */
  commitOf(name: string): Promise<string | null>
  /** The commit behind a client's name: a commit id (also shortened), a tag or a branch of the remote. */
  resolve(ref: string): Promise<string | null>
  /** Whether one of our refs holds a commit with everything that belongs to it. */
  isHeld(commit: string): Promise<boolean>
  /** Whether a commit is the other one, or led to it; false also where the clone lacks what lies between. */
  isAncestor(commit: string, of: string): Promise<boolean>
  /** Sets or, with null, deletes refs, all or none. */
  updateRefs(updates: ReadonlyArray<{ ref: string; commit: string | null }>): Promise<void>
  refNames(prefix: string): Promise<string[]>
  /** The value of one ref, read without a process; null also where only git can tell. */
  readRef(ref: string): Promise<string | null>
  /**
   * The refs directly below a folder of refs, read without a process. Git stores refs elsewhere only on request, which
   * nobody makes.
   */
  readRefNames(folder: string): Promise<string[]>
  run(args: readonly string[], input?: string): Promise<GitOutcome>
}

/** A command failed that touches nothing but the clone: it is damaged, as far as that can be told. */
export class LocalGitError extends Error {}

/** Access to one clone through local git commands. */
export function openLocalGit(
  gitDir: string,
  { searchPath, signal }: { searchPath: string; signal?: AbortSignal },
): LocalGit {
  const run: LocalGit['run'] = (args, input) => runGit(args, { gitDir, searchPath, signal, input })

  async function firstCommit(names: readonly string[]): Promise<string | null> {
    const { stdout } = await run(
      ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
      names.map(name => `${name}^{commit}\n`).join(''),
    )
    for (const line of stdout.toString().split('\n')) {
      const [oid = '', type] = line.split(' ')
      if (type === 'commit' && isCommitId(oid)) return oid
    }
    return null
  }

  async function must(args: readonly string[], input?: string): Promise<GitOutcome> {
    const outcome = await run(args, input)
    if (outcome.exitCode === 0) return outcome
    if (/No space left|Disk quota/.test(outcome.stderr)) {
      throw new FaultlineError(
        'DISK_FULL',
        'The disk became full while the clone was written.',
        'Free some space on the disk that holds CLONED_REPOS_DIR.',
      )
    }
    throw new LocalGitError(`git ${args[0]} failed: ${outcome.stderr}`)
  }

  return {
    gitDir,
    run,
    async init() {
      await must(['init', '--bare', '--quiet', '--template=', '--object-format=sha1', '--initial-branch=none'])
    },
    async commitOf(name) {
      return await firstCommit([name])
    },
    async resolve(ref) {
      if (!isRefName(ref)) return null
      const id = ref.toLowerCase()
      if (isCommitId(id)) return await firstCommit([id])
      return await firstCommit([`refs/tags/${ref}`, `refs/remotes/origin/${ref}`, ...(isShortCommitId(id) ? [id] : [])])
    },
    async isHeld(commit) {
      const { exitCode, stdout } = await run(['for-each-ref', '--count=1', `--contains=${commit}`])
      return exitCode === 0 && stdout.length > 0
    },
    async isAncestor(commit, of) {
      return (await run(['merge-base', '--is-ancestor', commit, of])).exitCode === 0
    },
    async updateRefs(updates) {
      if (updates.length === 0) return
      const lines = updates.map(({ ref, commit }) =>
        commit === null ? `delete ${ref}\0\0` : `update ${ref}\0${commit}\0\0`,
      )
      await must(['update-ref', '-z', '--stdin'], lines.join(''))
    },
    async refNames(prefix) {
      const { stdout } = await must(['for-each-ref', '--format=%(refname)', prefix])
      return stdout
        .toString()
        .split('\n')
        .filter(name => name !== '')
    },
    async readRef(ref) {
      const id = (await readFile(join(gitDir, ref), 'latin1').catch(() => '')).trimEnd()
      return isCommitId(id) ? id : null
    },
    async readRefNames(folder) {
      return (await readdir(join(gitDir, folder)).catch(() => [])).map(name => `${folder}/${name}`)
    },
  }
}

/** Project names that are no ref names, such as `a..b`, are spelled in hex. */
const refNameOf = (projectName: string): string =>
  isRefName(projectName) ? projectName : `@${Buffer.from(projectName).toString('hex')}`

/** The ref that keeps alive what a project has indexed. */
export const projectRef = (projectName: string): string => `refs/faultline/${refNameOf(projectName)}`

/** The ref that keeps alive what a project has indexed that is not committed. */
export const uncommittedRef = (projectName: string): string => `refs/faultline-uncommitted/${refNameOf(projectName)}`
