import { isAbsolute, join } from 'node:path'
import { runGit } from '../git/git-process.ts'
import type { WorkTreeSource } from '../work-tree/work-view.ts'

interface ReadOptions {
  searchPath: string
  signal: AbortSignal
}

/** Indexes of commits and packs, which could name what is not there, are not read. */
const PLAIN = ['-c', 'core.commitGraph=false', '-c', 'core.multiPackIndex=false']

/**
 * The address of the remote `origin` of a person's repository, as its own configuration has it: no file that this
 * includes is read. A path is made absolute. Null where there is none.
 */
export async function originOf(
  { gitDir, workTree }: WorkTreeSource,
  { searchPath, signal }: ReadOptions,
): Promise<string | null> {
  const { exitCode, stdout } = await runGit(['config', '--local', '-z', '--get', 'remote.origin.url'], {
    gitDir,
    searchPath,
    signal,
  })
  const [url = ''] = stdout.toString().split('\0', 1)
  if (exitCode !== 0 || url === '') return null
  const isPath = !isAbsolute(url) && (/^\.{1,2}(?:\/|$)/.test(url) || !url.includes(':'))
  return isPath ? join(workTree, url) : url
}

/** How a commit stands to another one in a person's repository; `unknown` where one of the two is not there. */
export async function standingOf(
  { gitDir }: WorkTreeSource,
  { commit, to }: { commit: string; to: string },
  { searchPath, signal }: ReadOptions,
): Promise<'behind' | 'ahead' | 'apart' | 'unknown'> {
  const isAncestor = async (one: string, other: string): Promise<boolean | null> => {
    const args = [...PLAIN, 'merge-base', '--is-ancestor', one, other]
    const { exitCode } = await runGit(args, { gitDir, searchPath, signal })
    return exitCode > 1 ? null : exitCode === 0
  }
  const isBehind = await isAncestor(commit, to)
  if (isBehind === null) return 'unknown'
  if (isBehind) return 'behind'
  return (await isAncestor(to, commit)) === true ? 'ahead' : 'apart'
}
