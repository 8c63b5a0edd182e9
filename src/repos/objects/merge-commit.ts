import type { LocalGit } from '../clone/local-git.ts'
import { isCommitId } from '../clone/refs.ts'

const WHO = 'Faultline <faultline@localhost>'

/** A commit with several parents, as it is to be written. */
interface MergeCommit {
  tree: string
  parents: readonly string[]
  message: string
  /** In seconds since 1970. */
  date: number
}

/** Writes a commit of ours with several parents, whose files are known. The same is written once, however often. */
export async function writeMergeCommit(git: LocalGit, { tree, parents, message, date }: MergeCommit): Promise<string> {
  const who = `${WHO} ${Math.trunc(date)} +0000`
  const header = [`tree ${tree}`, ...parents.map(parent => `parent ${parent}`), `author ${who}`, `committer ${who}`]
  const object = `${header.join('\n')}\n\n${message.toWellFormed().replaceAll('\0', '')}`
  const { exitCode, stdout, stderr } = await git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], object)
  const made = stdout.toString().trim()
  if (exitCode !== 0 || !isCommitId(made)) throw new Error(`git hash-object failed: ${stderr}`)
  return made
}
