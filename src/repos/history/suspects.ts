import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { threadCaches, type CacheBudget } from '../../core/cache-budget.ts'
import { isProjectName } from '../../core/project.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'
import { shareReads } from '../../core/share-reads.ts'
import { readCloneState } from '../clone/clone-state.ts'
import { asUncommitted, hasHistory } from './clone-past.ts'
import { dateOf, oneLine } from './commit-words.ts'
import { cutOffCommits } from './cut-off-commits.ts'
import { GitTurns } from './git-turns.ts'
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
  /** `NOT_COMMITTED` for what a work tree holds beyond its last commit. */
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
 * the clone, never the network. What git said of a line is kept for every search that names it. Searches that need git
 * wait for each other: returns within a bounded time with what is known (`timed_out`), at once where too many wait.
 *
 * @throws The signal's reason, when it fired; {FaultlineError} GIT_NOT_FOUND.
 */
export type SearchSuspects = (search: SuspectSearch) => Promise<LineHistory>

interface SuspectSearchOptions {
  clonedReposDir: string
  searchPath?: string
  /** The time limit of one search at work. */
  timeoutMs?: number
  /** Shared with whatever else asks git about the past. */
  turns?: GitTurns
  /** Counts what is kept. */
  budget?: CacheBudget
  now?: () => number
}

const TIMEOUT_MS = 5_000
/** Questions that git had no time for are not repeated before this time. */
const RETRY_MS = 60_000
const MAX_FILES = 8
const MAX_LINES_PER_FILE = 20
const MAX_EARLIER = 5
const MAX_OUTPUT_BYTES = 4 * 1_048_576
const BYTES_PER_CHAR = 2
/** What an entry takes beside its texts. */
const ENTRY_BYTES = 300
const NO_CLONE = { state: null, cutOff: new Set<string>() }
const READ_ONLY = ['--literal-pathspecs', '--no-pager']

/** Who made a change, and how. */
type Change = Pick<LineChange, 'commit' | 'author' | 'date' | 'summary'>

/** What git said of one question: none where it had no time, which it may be given again at `retryAt`. */
interface Known {
  changes: readonly Change[]
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
): Promise<{ text: string; isWhole: boolean; problem: string }> {
  if (signal.aborted) return { text: '', isWhole: false, problem: '' }
  const git = startGit(args, { gitDir, searchPath, signal, isLowPriority: true })
  const chunks: Buffer[] = []
  let size = 0
  git.child.stdin.end()
  git.child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_OUTPUT_BYTES) git.kill()
    else chunks.push(chunk)
  })
  const { stderr } = await git.ended
  return { text: Buffer.concat(chunks).toString(), isWhole: !signal.aborted, problem: stderr }
}

/** Reads the porcelain format, which gives a commit's author only at its first occurrence: changes by line. */
function readBlame(text: string): Map<number, Change> {
  const commits = new Map<string, Change>()
  const lines = new Map<number, Change>()
  let current: Change | undefined
  for (const row of text.split('\n')) {
    if (row.startsWith('\t')) continue // the line itself
    const [, commit, line] = /^([0-9a-f]{40}) \d+ (\d+)/.exec(row) ?? []
    if (commit !== undefined) {
      current = commits.get(commit) ?? { commit, author: '', date: '', summary: '' }
      commits.set(commit, current)
      lines.set(Number(line), current)
    } else if (current !== undefined) {
      const space = row.indexOf(' ')
      const value = row.slice(space + 1)
      const name = row.slice(0, space)
      if (name === 'author') current.author = oneLine(value)
      else if (name === 'committer-time') current.date = dateOf(value)
      else if (name === 'summary') current.summary = oneLine(value)
    }
  }
  return new Map([...lines].filter(([, { date }]) => date !== '')) // its header was cut off
}

function readLog(text: string): Change[] {
  return text.split('\0\n').flatMap(record => {
    const [commit = '', author = '', time = '', summary] = record.trimStart().split('\0')
    const date = dateOf(time)
    return summary !== undefined && isCommitId(commit) && date !== ''
      ? [{ commit, author: oneLine(author), date, summary: oneLine(summary) }]
      : []
  })
}

interface GitCall {
  gitDir: string
  searchPath: string
  commit: string
  cutOff: ReadonlySet<string>
  signal: AbortSignal
}

const rangesOf = (lines: readonly number[], suffix = ''): string[] =>
  lines.flatMap(line => ['-L', `${line},${line}${suffix}`])

/** Who changed lines of a file last. A line that the file lacks spoils the answer of all: then each is asked for. */
async function blame(
  path: string,
  lines: readonly number[],
  call: GitCall,
): Promise<{ changes: Map<number, Change>; isWhole: boolean }> {
  // Without -w, for `log -L` cannot leave out changes of white space: the two must mean the same by a change.
  const { text, isWhole, problem } = await output(
    [...READ_ONLY, 'blame', '--porcelain', ...rangesOf(lines), call.commit, '--', path],
    call,
  )
  if (!isWhole || lines.length === 1 || !problem.includes('has only')) return { changes: readBlame(text), isWhole }
  const changes = new Map<number, Change>()
  for (const line of lines) {
    const alone = await blame(path, [line], call)
    if (!alone.isWhole) return { changes, isWhole: false }
    for (const [found, change] of alone.changes) changes.set(found, change)
  }
  return { changes, isWhole: true }
}

/** The last changes of lines of a file, the newest first. */
async function pastOf(
  path: string,
  lines: readonly number[],
  call: GitCall,
): Promise<{ changes: Change[]; isWhole: boolean }> {
  const { text, isWhole } = await output(
    [
      ...READ_ONLY,
      'log',
      '-s',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      `--max-count=${MAX_EARLIER}`,
      '--format=%H%x00%an%x00%ct%x00%s%x00',
      ...rangesOf(lines, `:${path}`),
      call.commit,
    ],
    call,
  )
  return { changes: readLog(text), isWhole }
}

/** The lines of each commit, in the order of the lines. */
function changesByCommit(path: string, changes: ReadonlyMap<number, Change>): LineChange[] {
  const grouped = Map.groupBy(
    [...changes].sort(([a], [b]) => a - b),
    ([, { commit }]) => commit,
  )
  return [...grouped.values()].flatMap(own => {
    const change = own[0]?.[1]
    return change === undefined ? [] : [{ ...change, path, lines: own.map(([line]) => line), kind: 'last' as const }]
  })
}

const bytesOf = ({ changes }: Known): number =>
  ENTRY_BYTES + BYTES_PER_CHAR * changes.reduce((sum, { author, summary }) => sum + author.length + summary.length, 0)

/**
 * What git said, by line. A commit's past does not change. The same content at another commit may have another past: it
 * may have been written anew.
 */
class KnownLines {
  readonly #known: RecentlyUsed<string, Known>
  readonly #now: () => number

  constructor(budget: CacheBudget, now: () => number) {
    this.#known = new RecentlyUsed(budget, bytesOf)
    this.#now = now
  }

  find(key: string): Known | undefined {
    return this.#known.find(key)
  }

  isOpen(key: string): boolean {
    return (this.#known.find(key)?.retryAt ?? 0) <= this.#now()
  }

  /** @param isWhole - Whether git had the time to say all. */
  keep(key: string, changes: readonly Change[], isWhole: boolean): void {
    this.#known.set(key, { changes, retryAt: isWhole ? Infinity : this.#now() + RETRY_MS })
  }
}

/** One file of a search, with the keys of what is asked about it. */
interface AskedFile {
  path: string
  failing: readonly number[]
  /** By line. */
  lineKeys: ReadonlyMap<number, string>
  /** The key of the earlier changes of the failing lines; null where none fails. */
  pastKey: string | null
}

function askedFile({ path, lines, failing }: MarkedFile, scope: string): AskedFile {
  const keyOf = (...what: unknown[]): string => JSON.stringify([scope, path, ...what])
  return {
    path,
    failing,
    lineKeys: new Map(lines.map(line => [line, keyOf(line)])),
    pastKey: failing.length === 0 ? null : keyOf('past', failing),
  }
}

const keysOf = ({ lineKeys, pastKey }: AskedFile): string[] => [
  ...lineKeys.values(),
  ...(pastKey === null ? [] : [pastKey]),
]

/** Asks git what is not known of a file. */
async function ask(file: AskedFile, known: KnownLines, call: GitCall): Promise<void> {
  const open = [...file.lineKeys].filter(([, key]) => known.isOpen(key))
  const { pastKey } = file
  await Promise.all([
    (async () => {
      if (open.length === 0) return
      const lines = open.map(([line]) => line)
      const { changes, isWhole } = await blame(file.path, lines, call)
      for (const [line, key] of open) {
        const change = changes.get(line)
        known.keep(key, change === undefined ? [] : [change], isWhole || change !== undefined)
      }
    })(),
    (async () => {
      if (pastKey === null || !known.isOpen(pastKey)) return
      const { changes, isWhole } = await pastOf(file.path, file.failing, call)
      known.keep(pastKey, changes, isWhole)
    })(),
  ])
}

/** What is known of a file. */
function changesOf(
  { path, failing, lineKeys, pastKey }: AskedFile,
  known: KnownLines,
  cutOff: ReadonlySet<string>,
): LineChange[] {
  const isThere = ({ commit }: Change): boolean => !cutOff.has(commit)
  const changes = new Map<number, Change>()
  for (const [line, key] of lineKeys) {
    const change = known.find(key)?.changes[0]
    if (change !== undefined && isThere(change)) changes.set(line, change)
  }
  const last = changesByCommit(path, changes)
  const knownPast = pastKey === null ? undefined : known.find(pastKey)
  const past = (knownPast?.changes ?? [])
    .filter(isThere)
    .map(change => ({ ...change, path, lines: [...failing], kind: 'earlier' as const }))
  const lastFailing = last.filter(({ lines }) => lines.some(line => failing.includes(line)))
  return [...last, ...olderThan(lastFailing, past)]
}

/** Searches clones for suspects with bounded time and load, and keeps what git said. */
export function createSuspectSearch({
  clonedReposDir,
  searchPath = GIT_SEARCH_PATH,
  timeoutMs = TIMEOUT_MS,
  turns = new GitTurns(),
  budget = threadCaches,
  now = Date.now,
}: SuspectSearchOptions): SearchSuspects {
  const readHistory = shareReads(async gitDir => ({
    state: await readCloneState(gitDir),
    cutOff: await cutOffCommits(gitDir),
  }))
  const known = new KnownLines(budget, now)

  return async ({ repository, commit, ranges, signal }) => {
    signal?.throwIfAborted()
    const gitDir = isProjectName(repository) && isCommitId(commit) ? join(clonedReposDir, repository) : null
    const { state, cutOff } = gitDir === null ? NO_CLONE : await readHistory(gitDir)
    if (gitDir === null || state === null || !hasHistory(state, commit)) {
      return { status: 'shallow_history', changes: [] }
    }
    const historyId = createHash('sha256')
      .update([...cutOff].join())
      .digest('hex')
    const files = ranges
      .slice(0, MAX_FILES)
      .map(withinLimits)
      .filter(({ lines }) => lines.length > 0)
      .map(file => askedFile(file, JSON.stringify([gitDir, commit, historyId])))
    const isOpen = (file: AskedFile): boolean => keysOf(file).some(key => known.isOpen(key))

    if (files.some(isOpen)) {
      await turns.run(async () => {
        const timeout = AbortSignal.timeout(timeoutMs)
        const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
        for (const file of files.filter(isOpen)) {
          // one after the other: the first files matter most
          await ask(file, known, { gitDir, searchPath, commit, cutOff, signal: either })
          signal?.throwIfAborted()
        }
      }, signal)
    }
    return {
      status: files.every(file => keysOf(file).every(key => known.find(key)?.retryAt === Infinity))
        ? 'ok'
        : 'timed_out',
      changes: files
        .flatMap(file => changesOf(file, known, cutOff))
        .map(change => asUncommitted(change, commit, state)),
    }
  }
}
