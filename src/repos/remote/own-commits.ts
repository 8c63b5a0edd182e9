import type { openLocalGit } from '../clone/local-git.ts'

/** Commits that we made one on another, beginning on a commit that was there. */
interface OwnCommits {
  /** What the first of them is on; null where that is not known, and the last one alone counts. */
  base: string | null
  /** The last of them. */
  commit: string
}

/** Whether a commit is one of ours. What our branch began from is not: anybody can make a branch of our name there. */
export async function isOwnCommit(
  git: Pick<ReturnType<typeof openLocalGit>, 'isAncestor'>,
  tip: string,
  { base, commit }: OwnCommits,
): Promise<boolean> {
  if (tip === base) return false
  if (tip === commit) return true
  return base !== null && (await git.isAncestor(tip, commit)) && !(await git.isAncestor(tip, base))
}
