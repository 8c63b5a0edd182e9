import { join } from 'node:path'
import { GIT_SEARCH_PATH } from '../git/git-env.ts'
import { isCommitId } from '../clone/refs.ts'
import { openLocalGit, type LocalGit } from '../clone/local-git.ts'
import type { ReposOptions } from '../repos.ts'

/** Two commits of a clone, by their full ids. */
interface CommitPair {
  repository: string
  base: string
  commit: string
}

/** Lines of a file of the newer commit that the older one has otherwise, 1-based and inclusive. */
export interface ChangedLines {
  path: string
  startLine: number
  endLine: number
}

/** What lies between commits of a clone, read without the network. */
export interface CommitDifferences {
  /**
   * The lines of some files that changed between where two commits parted and the newer one; where the clone has not
   * enough history for that, between the two. Null where git cannot tell.
   */
  changedLines(req: CommitPair & { paths: readonly string[] }, signal: AbortSignal): Promise<ChangedLines[] | null>
  /** Whether `base` comes before `commit` in its history, or is it; false also where the clone cannot tell. */
  isAncestor(req: CommitPair, signal: AbortSignal): Promise<boolean>
}

const TIMEOUT_MS = 20_000
const MAX_PATHS = 200
const DIFF = [
  '--literal-pathspecs',
  '-c',
  'core.quotePath=false',
  'diff',
  '--unified=0',
  '--no-renames',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=all',
  '--src-prefix=a/',
  '--dst-prefix=b/',
]
const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/** A hunk's lines of the newer file, and how many lines of the diff it takes; null for a line that begins none. */
function readHunk(line: string): { startLine: number; endLine: number; rows: number } | null {
  const [, old = '1', start = '', fresh = '1'] = HUNK.exec(line) ?? []
  if (start === '') return null
  const [from, count] = [Number(start), Number(fresh)]
  const rows = Number(old) + count
  // where lines only went, those beside the gap changed their neighbours
  if (count === 0) return { startLine: Math.max(1, from), endLine: from + 1, rows }
  return { startLine: from, endLine: from + count - 1, rows }
}

/** Reads a diff without context by the counts of its hunks: a line of a file may look like any header. */
export function readChangedLines(diff: string): ChangedLines[] {
  const changes: ChangedLines[] = []
  const lines = diff.split('\n')
  let path: string | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.startsWith('diff --git ')) path = null
    else if (line.startsWith('+++ b/')) path = line.slice('+++ b/'.length).replace(/\t$/, '')
    const hunk = readHunk(line)
    if (hunk === null) continue
    const { rows, ...range } = hunk
    if (path !== null) changes.push({ path, ...range })
    // a line that begins with a backslash says that there is no end of line
    for (let left = rows; left > 0 && at < lines.length; at++) if (lines[at + 1]?.startsWith('\\') !== true) left--
  }
  return changes
}

async function partedAt(git: LocalGit, { base, commit }: CommitPair): Promise<string> {
  const { exitCode, stdout } = await git.run(['merge-base', base, commit])
  const [parted = ''] = stdout.toString().trim().split('\n')
  return exitCode === 0 && isCommitId(parted) ? parted : base
}

/** Reads what lies between commits of the clones below a folder. */
export function createCommitDifferences({
  clonedReposDir,
  gitSearchPath: searchPath = GIT_SEARCH_PATH,
}: Pick<ReposOptions, 'clonedReposDir' | 'gitSearchPath'>): CommitDifferences {
  function open({ repository, base, commit }: CommitPair, signal: AbortSignal): LocalGit | null {
    if (!isCommitId(base) || !isCommitId(commit)) return null
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    return openLocalGit(join(clonedReposDir, repository), { searchPath, signal: limited })
  }
  return {
    async changedLines({ paths, ...pair }, signal) {
      const git = open(pair, signal)
      if (git === null) return null
      if (paths.length === 0) return []
      const from = await partedAt(git, pair)
      const { exitCode, stdout } = await git.run([...DIFF, from, pair.commit, '--', ...paths.slice(0, MAX_PATHS)])
      return exitCode === 0 ? readChangedLines(stdout.toString()) : null
    },
    async isAncestor(pair, signal) {
      const git = open(pair, signal)
      if (git === null) return false
      return (await git.run(['merge-base', '--is-ancestor', pair.base, pair.commit])).exitCode === 0
    },
  }
}
