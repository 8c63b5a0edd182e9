import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isProjectName } from '../../core/project.ts'
import { shareReads } from '../../core/share-reads.ts'
import { historyOf, readCloneState, type CloneState } from '../clone/clone-state.ts'
import { cutOffCommits } from './cut-off-commits.ts'
import { GIT_SEARCH_PATH } from '../git/git-env.ts'
import { startGit } from '../git/git-process.ts'
import { isCommitId } from '../clone/refs.ts'

/** Lines of one file at the commit that is read. */
export interface MarkedFile {
  path: string
  /** The 1-based lines that git is asked about. */
  lines: readonly number[]
  /** The lines among them whose earlier changes are looked at, too. */
  failing: readonly number[]
}

/** A commit that changed marked lines of one file. */
export interface LineChange {
  commit: string
  author: string
  /** When it was committed, RFC 3339 in UTC. */
  date: string
  summary: string
  /** The path at the commit that is read, whatever the file was called then. */
  path: string
  lines: number[]
  /** `last`: the lines are as this commit left them; `earlier`: a later commit changed them again. */
  kind: 'last' | 'earlier'
}

/** The lines of a clone whose authors are wanted. */
export interface SuspectSearch {
  repository: string
  commit: string
  /** The most important first: those that the time does not suffice for are left out. */
  ranges: readonly MarkedFile[]
  signal?: AbortSignal
}

/** The commits that were found, and whether they are all. */
export interface LineHistory {
  /**
   * `shallow_history`: the clone's history was not fetched yet; `timed_out`: `changes` is what was found until then.
   */
  status: 'ok' | 'shallow_history' | 'timed_out'
  changes: LineChange[]
}

/**
 * Finds who changed these lines, by `git blame`, and who changed the failing ones before, by `git log -L`. Reads only
 * the clone, never the network. Returns within its time limit with what is known (`timed_out`), also while git is busy
 * with other searches or there were many in a short time; a repeated question costs nothing.
 *
 * @throws The signal's reason, when it fired; {FaultlineError} GIT_NOT_FOUND.
 */
export type SearchSuspects = (search: SuspectSearch) => Promise<LineHistory>

interface SuspectSearchOptions {
  clonedReposDir: string
  searchPath?: string
  /** The time limit of one search. */
  timeoutMs?: number
  /** Searches that may wait for git at once. */
  maxRunning?: number
  /** Searches that may run in a row without waiting. */
  burst?: number
  now?: () => number
}

const TIMEOUT_MS = 1_500
/** More would slow down the answers that need no git. */
const MAX_RUNNING = 2
/**
 * Searches in a row that nobody has to wait for; then one more may run after each interval. A search starts some ten
 * processes, each of which holds up its thread for a moment.
 */
const BURST = 20
const REFILL_MS = 1_000
/** Questions that git had no time for are not repeated before this time. */
const RETRY_MS = 60_000
const MAX_FILES = 8
const MAX_LINES_PER_FILE = 20
const MAX_EARLIER = 5
const MAX_OUTPUT_BYTES = 4 * 1_048_576
const MAX_CACHED = 500
const MAX_TEXT_CHARS = 200
const NO_CLONE = { state: null, cutOff: new Set<string>() }
const READ_ONLY = ['--literal-pathspecs', '--no-pager']

/** What git said about one file; questions it had no time for are asked again at `retryAt`. */
interface Known {
  changes: LineChange[]
  retryAt: number
}

function withinLimits({ path, lines, failing }: MarkedFile): MarkedFile {
  const distinct = [...new Set([...failing, ...lines])]
    .filter(line => Number.isInteger(line) && line > 0)
    .slice(0, MAX_LINES_PER_FILE)
  return {
    path,
    lines: distinct.sort((a, b) => a - b),
    failing: [...new Set(failing)].filter(line => distinct.includes(line)),
  }
}

/**
 * Whether the history of this commit is there: several projects may use one clone, so the one that holds the commit
 * counts.
 */
function hasHistory(state: CloneState, commit: string): boolean {
  return historyOf(state) === 'full' || state.users.some(user => user.commit === commit && user.history === 'full')
}

function remember(known: Map<string, Known>, key: string, what: Known): void {
  known.delete(key)
  known.set(key, what)
  const oldest = known.keys().next().value
  if (known.size > MAX_CACHED && oldest !== undefined) known.delete(oldest)
}

/**
 * Changes of the failing lines that a later one replaced. Where blame does not know the last change (its time was up,
 * or it reached the end of the history), the newest of them is it.
 *
 * @param past - The newest first.
 */
function olderThan(last: readonly LineChange[], past: readonly LineChange[]): LineChange[] {
  if (last.length === 0) return past.map((change, index) => (index === 0 ? { ...change, kind: 'last' } : change))
  const commits = new Set(last.map(({ commit }) => commit))
  const start = past.findIndex(({ commit }) => commits.has(commit))
  // the last one is not among the few that are read
  const isBefore = ({ date }: LineChange): boolean => last.some(change => date < change.date)
  return past.filter(
    (change, index) => !commits.has(change.commit) && (start === -1 ? isBefore(change) : index > start),
  )
}

/** What git printed until it ended or the time was up. A file or a line that the commit lacks gives an empty output. */
async function output(
  args: readonly string[],
  { gitDir, searchPath, signal }: GitCall,
): Promise<{ text: string; isWhole: boolean }> {
  if (signal.aborted) return { text: '', isWhole: false }
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
  return { text: Buffer.concat(chunks).toString(), isWhole: !signal.aborted }
}

function dateOf(seconds: string): string {
  const date = new Date(Number(seconds) * 1_000)
  return /^\d{1,11}$/.test(seconds) && !Number.isNaN(date.getTime()) ? date.toISOString() : ''
}

/** Names and subjects are whatever their author typed, so control characters are removed. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT_CHARS)
    .toWellFormed()

/** Reads the porcelain format, which gives a commit's author only at its first occurrence. */
function readBlame(text: string, path: string): LineChange[] {
  const changes = new Map<string, LineChange>()
  let current: LineChange | undefined
  for (const row of text.split('\n')) {
    if (row.startsWith('\t')) continue // the line itself
    const [, commit, line] = /^([0-9a-f]{40}) \d+ (\d+)/.exec(row) ?? []
    if (commit !== undefined) {
      current = changes.get(commit) ?? { commit, author: '', date: '', summary: '', path, lines: [], kind: 'last' }
      current.lines.push(Number(line))
      changes.set(commit, current)
    } else if (current !== undefined) {
      const space = row.indexOf(' ')
      const value = row.slice(space + 1)
      const name = row.slice(0, space)
      if (name === 'author') current.author = oneLine(value)
      else if (name === 'committer-time') current.date = dateOf(value)
      else if (name === 'summary') current.summary = oneLine(value)
    }
  }
  return [...changes.values()].filter(({ date }) => date !== '') // its header was cut off
}

function readLog(text: string, { path, lines }: { path: string; lines: number[] }): LineChange[] {
  return text.split('\0\n').flatMap(record => {
    const [commit = '', author = '', time = '', summary] = record.trimStart().split('\0')
    const date = dateOf(time)
    return summary !== undefined && isCommitId(commit) && date !== ''
      ? [{ commit, author: oneLine(author), date, summary: oneLine(summary), path, lines, kind: 'earlier' as const }]
      : []
  })
}

async function changesOf(file: MarkedFile, call: GitCall): Promise<{ changes: LineChange[]; isWhole: boolean }> {
  const { path, lines, failing } = file
  const ranges = (marked: readonly number[], suffix = '') => marked.flatMap(line => ['-L', `${line},${line}${suffix}`])
  const [blamed, logged] = await Promise.all([
    // Without -w, for `log -L` cannot leave out changes of white space: the two must mean the same by a change.
    output([...READ_ONLY, 'blame', '--porcelain', ...ranges(lines), call.commit, '--', path], call),
    failing.length === 0 || path.startsWith(':')
      ? { text: '', isWhole: true }
      : output(
          [
            ...READ_ONLY,
            'log',
            '-s',
            '--no-color',
            '--no-ext-diff',
            '--no-textconv',
            `--max-count=${MAX_EARLIER}`,
            '--format=%H%x00%an%x00%ct%x00%s%x00',
            ...ranges(failing, `:${path}`),
            call.commit,
          ],
          call,
        ),
  ])
  const last = readBlame(blamed.text, path).filter(({ commit }) => !call.cutOff.has(commit))
  const past = readLog(logged.text, { path, lines: [...failing] }).filter(({ commit }) => !call.cutOff.has(commit))
  const lastFailing = last.filter(({ lines: own }) => own.some(line => failing.includes(line)))
  return { changes: [...last, ...olderThan(lastFailing, past)], isWhole: blamed.isWhole && logged.isWhole }
}

/** Searches clones for suspects with bounded time and load, and caches the answers. */
export function createSuspectSearch({
  clonedReposDir,
  searchPath = GIT_SEARCH_PATH,
  timeoutMs = TIMEOUT_MS,
  maxRunning = MAX_RUNNING,
  burst = BURST,
  now = Date.now,
}: SuspectSearchOptions): SearchSuspects {
  const readHistory = shareReads(async gitDir => ({
    state: await readCloneState(gitDir),
    cutOff: await cutOffCommits(gitDir),
  }))
  const known = new Map<string, Known>() // the least recently used one first; a commit's past does not change
  let running = 0
  let left = burst
  let filledAt = now()
  const maySearch = (): boolean => {
    left = Math.min(burst, left + (now() - filledAt) / REFILL_MS)
    filledAt = now()
    return running < maxRunning && left >= 1
  }

  return async ({ repository, commit, ranges, signal }) => {
    signal?.throwIfAborted()
    const files = ranges
      .slice(0, MAX_FILES)
      .map(withinLimits)
      .filter(({ lines }) => lines.length > 0)
    const gitDir = isProjectName(repository) && isCommitId(commit) ? join(clonedReposDir, repository) : null
    const { state, cutOff } = gitDir === null ? NO_CLONE : await readHistory(gitDir)
    if (gitDir === null || state === null || !hasHistory(state, commit)) {
      return { status: 'shallow_history', changes: [] }
    }
    const historyId = createHash('sha256')
      .update([...cutOff].join())
      .digest('hex')
    const asked = files.map(file => ({
      file,
      key: JSON.stringify([gitDir, commit, file.path, file.lines, file.failing, historyId]),
    }))
    const isOpen = ({ key }: { key: string }): boolean => (known.get(key)?.retryAt ?? 0) <= now()

    if (asked.some(isOpen) && maySearch()) {
      running++
      left--
      try {
        const timeout = AbortSignal.timeout(timeoutMs)
        const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
        for (const one of asked.filter(isOpen)) {
          // one after the other: each is two processes, and the first files matter most
          const { changes, isWhole } = await changesOf(one.file, { gitDir, searchPath, commit, cutOff, signal: either })
          signal?.throwIfAborted()
          remember(known, one.key, { changes, retryAt: isWhole ? Infinity : now() + RETRY_MS })
        }
      } finally {
        running--
      }
    }
    const found = asked.map(({ key }) => known.get(key))
    return {
      status: found.every(one => one?.retryAt === Infinity) ? 'ok' : 'timed_out',
      changes: found.flatMap(one => one?.changes ?? []),
    }
  }
}

interface GitCall {
  gitDir: string
  searchPath: string
  commit: string
  cutOff: ReadonlySet<string>
  signal: AbortSignal
}
