import { join } from 'node:path'
import type { HistoryPlace, LineCommits } from '../../core/code-tools.ts'
import { threadCaches, type CacheBudget } from '../../core/cache-budget.ts'
import { isProjectName } from '../../core/project.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'
import { readCloneState } from '../clone/clone-state.ts'
import { isCommitId } from '../clone/refs.ts'
import { GIT_SEARCH_PATH } from '../git/git-env.ts'
import { startGit } from '../git/git-process.ts'
import { asUncommitted, hasHistory } from './clone-past.ts'
import { dateOf, oneLine } from './commit-words.ts'
import { cutOffCommits } from './cut-off-commits.ts'
import { GitTurns } from './git-turns.ts'

/** The commits that changed lines, newest first, and whether they are all that the clone knows of. */
export interface LineLog {
  /** `timed_out`: `commits` is what was found until then. */
  status: 'ok' | 'shallow_history' | 'timed_out'
  commits: LineCommits
  /** False where the lines have more commits than are read, or the history that is here ends before theirs does. */
  complete: boolean
}

/**
 * Finds the commits that changed lines of a file, with what each of them did to these lines, by `git log -L`, which
 * follows the lines back through renamings. Reads only the clone, never the network, within a bounded time and with the
 * turns of other searches.
 *
 * @throws The signal's reason, when it fired; {FaultlineError} GIT_NOT_FOUND.
 */
export type ReadLineLog = (place: HistoryPlace & { signal?: AbortSignal }) => Promise<LineLog>

interface LineLogOptions {
  clonedReposDir: string
  searchPath?: string
  /** Shared with whatever else asks git about the past. */
  turns?: GitTurns
  /** The time limit of one search at work. */
  timeoutMs?: number
  /** Counts what is kept. */
  budget?: CacheBudget
}

const TIMEOUT_MS = 10_000
const MAX_COMMITS = 100
const MAX_OUTPUT_BYTES = 4 * 1_048_576
/** Begins a record: no line of a diff holds a zero byte, as a file that does is none of text. */
const RECORD = '\0\0'
const BYTES_PER_CHAR = 2
const ENTRY_BYTES = 500
const NOT_HERE: LineLog = { status: 'shallow_history', commits: [], complete: false }
const LOG = [
  '--literal-pathspecs',
  '--no-pager',
  '-c',
  'core.quotePath=false',
  'log',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-show-signature',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  `--max-count=${MAX_COMMITS + 1}`,
  '--format=%x00%x00%H%x00%an%x00%ct%x00%s%x00',
]

/** The records that git printed; of the last one only what is whole, where it was ended. */
function readLog(text: string): LineCommits {
  return text.split(RECORD).flatMap(record => {
    const [commit = '', author = '', time = '', summary, diff] = record.split('\0')
    const date = dateOf(time)
    if (summary === undefined || diff === undefined || !isCommitId(commit) || date === '') return []
    return [{ commit, author: oneLine(author), date, summary: oneLine(summary), diff: diff.trim().toWellFormed() }]
  })
}

const bytesOf = ({ commits }: LineLog): number =>
  ENTRY_BYTES + BYTES_PER_CHAR * commits.reduce((sum, { diff, summary }) => sum + diff.length + summary.length, 0)

/** What git printed until it ended, the time was up or it was too much. */
async function printed(
  args: readonly string[],
  { gitDir, searchPath, signal }: { gitDir: string; searchPath: string; signal: AbortSignal },
): Promise<{ text: string; isWhole: boolean }> {
  const git = startGit(args, { gitDir, searchPath, signal, isLowPriority: true })
  const chunks: Buffer[] = []
  let size = 0
  git.child.stdin.end()
  git.child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_OUTPUT_BYTES) git.kill()
    else chunks.push(chunk)
  })
  await git.ended
  return { text: Buffer.concat(chunks).toString(), isWhole: size <= MAX_OUTPUT_BYTES }
}

/** Reads the history of lines from the clones below a folder, and keeps what was found. */
export function createLineLog({
  clonedReposDir,
  searchPath = GIT_SEARCH_PATH,
  turns = new GitTurns(),
  timeoutMs = TIMEOUT_MS,
  budget = threadCaches,
}: LineLogOptions): ReadLineLog {
  const kept = new RecentlyUsed<string, LineLog>(budget, bytesOf)

  return async ({ repository, path, readAt, startLine, endLine, signal }) => {
    signal?.throwIfAborted()
    const isNamed = isProjectName(repository) && isCommitId(readAt)
    const gitDir = join(clonedReposDir, isNamed ? repository : '')
    const state = isNamed ? await readCloneState(gitDir) : null
    if (state === null || !hasHistory(state, readAt)) return NOT_HERE
    const cutOff = await cutOffCommits(gitDir)
    const key = JSON.stringify([gitDir, readAt, path, startLine, endLine, [...cutOff]])
    const known = kept.find(key)
    if (known !== undefined) return known

    let found: { text: string; isWhole: boolean } | null = null
    const timeout = AbortSignal.timeout(timeoutMs)
    await turns.run(async () => {
      const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
      found = await printed([...LOG, '-L', `${startLine},${endLine}:${path}`, readAt], {
        gitDir,
        searchPath,
        signal: either,
      })
    }, signal)
    signal?.throwIfAborted()
    const { text, isWhole } = found ?? { text: '', isWhole: false }
    const isInTime = found !== null && !timeout.aborted
    const all = readLog(text)
    const own = all.filter(({ commit }) => !cutOff.has(commit)).slice(0, MAX_COMMITS)
    const log: LineLog = {
      status: isInTime ? 'ok' : 'timed_out',
      commits: own.map(commit => asUncommitted(commit, readAt, state)),
      complete: isInTime && isWhole && own.length === all.length,
    }
    if (isInTime) kept.set(key, log)
    return log
  }
}
