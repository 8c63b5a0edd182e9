import { join } from 'node:path'
import { threadCaches, type CacheBudget } from '../../core/cache-budget.ts'
import { isProjectName } from '../../core/project.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'
import { decodeText } from '../../core/source-text.ts'
import { readCloneState, type CloneState } from '../clone/clone-state.ts'
import { isCommitId } from '../clone/refs.ts'
import { GIT_SEARCH_PATH } from '../git/git-env.ts'
import { runGit } from '../git/git-process.ts'
import { readBlobs } from '../objects/objects.ts'
import { asUncommitted, hasHistory } from './clone-past.ts'
import { dateOf, oneLine } from './commit-words.ts'
import { GitTurns } from './git-turns.ts'
import { linesOf, rangeBefore, replacedIn, type LineRange, type Replaced } from './line-moves.ts'

/** A line at the commit that was read, and the function around it. Lines are 1-based and inclusive. */
export interface WatchedPlace {
  path: string
  line: number
  startLine: number
  endLine: number
  failing: boolean
}

/** Where later changes are looked for. */
export interface ChangesSinceSearch {
  repository: string
  /** The commit that the places are of. */
  commit: string
  /** A later one, whose history is there. */
  tip: string
  /** The nearest to the failure first. */
  places: readonly WatchedPlace[]
  signal?: AbortSignal
}

/** A later commit that changed one of the places. */
export interface ChangeSince {
  /** `NOT_COMMITTED` for what a work tree holds beyond its last commit. */
  commit: string
  /** When it was committed, RFC 3339 in UTC. */
  date: string
  summary: string
  /** The path at the commit that was read, whatever the file is called by now. */
  path: string
  /** What it changed, in lines of the commit that was read; of an added line the one that it stands before. */
  lines: number[]
}

/** What later commits made of the places. */
export interface ChangesSince {
  status: 'ok' | 'shallow_history' | 'timed_out'
  /** Newest first; null where nothing is known to have come later. */
  changes: ChangeSince[] | null
  /** Whether the failing line is not there any more at the tip. */
  failingLineGone: boolean
}

/**
 * Finds what later commits changed in code that is read at an earlier commit. Reads only the clone, never the network,
 * and within a bounded time: `timed_out` says that there may be more.
 *
 * @throws The signal's reason, when it fired; {FaultlineError} GIT_NOT_FOUND, REPOSITORY_CORRUPT.
 */
export type SearchChangesSince = (search: ChangesSinceSearch) => Promise<ChangesSince>

interface SearchOptions {
  clonedReposDir: string
  searchPath?: string
  /** Shared with whatever else asks git about the past. */
  turns?: GitTurns
  /** The time limit of one search at work. */
  timeoutMs?: number
  /** Counts what is kept. */
  budget?: CacheBudget
}

const TIMEOUT_MS = 5_000
const MAX_FILES = 3
/** Commits of a file that are compared. */
const MAX_COMMITS = 40
const MAX_CHANGES = 10
/** The most lines that are told of a function that was written anew. */
const MAX_LINES = 50
const MAX_TEXT_BYTES = 1_048_576
const NO_OBJECT = '0'.repeat(40)
const READ_ONLY = ['--literal-pathspecs', '--no-pager']
const NOTHING_LATER: ChangesSince = { status: 'ok', changes: null, failingLineGone: false }
const KEPT_BYTES = 2_000

interface Call {
  gitDir: string
  searchPath: string
  commit: string
  tip: string
  signal: AbortSignal
}

async function output(args: readonly string[], { gitDir, searchPath, signal }: Call): Promise<string> {
  const { stdout } = await runGit([...READ_ONLY, ...args], { gitDir, searchPath, signal, isLowPriority: true })
  return stdout.toString()
}

/** The object id of a file at a commit; null where there is none. */
async function fileAt(commit: string, path: string, call: Call): Promise<string | null> {
  const listed = await output(['ls-tree', '--full-tree', '-z', commit, '--', path], call)
  return /^100\d{3} blob ([0-9a-f]{40})\t/.exec(listed)?.[1] ?? null
}

/** One commit that changed a file, with the file's contents before and after it. */
interface FileChange {
  commit: string
  date: string
  summary: string
  before: string
  after: string
}

const RAW = /^:\d{6} \d{6} ([0-9a-f]{40}) ([0-9a-f]{40}) ([A-Z])\d*$/

/** Reads `--raw -z`: for each change a record with modes and ids, then one path, or two of a file that was renamed. */
function* rawChanges(
  records: Iterator<string>,
): Generator<{ before: string; after: string; paths: string[] } | string> {
  for (let next = records.next(); next.done !== true; next = records.next()) {
    const record = next.value.replace(/^\n/, '')
    const [, before, after, kind = ''] = RAW.exec(record) ?? []
    if (before === undefined || after === undefined) {
      if (record !== '') yield record
      continue
    }
    const paths = [String(records.next().value ?? '')]
    if (kind === 'R' || kind === 'C') paths.push(String(records.next().value ?? ''))
    yield { before, after, paths }
  }
}

const recordsOf = (text: string): Iterator<string> => text.split('\0')[Symbol.iterator]()

/** Where a file that the tip has not under its name went to; null for one that was deleted. */
async function renamedTo(path: string, call: Call): Promise<{ path: string; oid: string } | null> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--find-renames', '--diff-filter=R']
  const text = await output([...args, call.commit, call.tip], call)
  for (const change of rawChanges(recordsOf(text))) {
    if (typeof change === 'string') continue
    const [from, to] = change.paths
    if (from === path && to !== undefined) return { path: to, oid: change.after }
  }
  return null
}

/** The commits after the one that was read which changed a file, newest first, followed through renamings. */
async function fileChanges(path: string, call: Call): Promise<FileChange[]> {
  const text = await output(
    [
      'log',
      '-z',
      '--follow',
      '--raw',
      '--no-abbrev',
      '--no-merges',
      '--no-color',
      '--no-ext-diff',
      '--no-show-signature',
      `--max-count=${MAX_COMMITS}`,
      '--format=%H %ct %s',
      call.tip,
      `^${call.commit}`,
      '--',
      path,
    ],
    call,
  )
  const changes: FileChange[] = []
  let head: Pick<FileChange, 'commit' | 'date' | 'summary'> | null = null
  for (const change of rawChanges(recordsOf(text))) {
    if (typeof change === 'string') {
      const [, commit = '', seconds = '', summary = ''] = /^([0-9a-f]{40}) (\d+) (.*)$/s.exec(change) ?? []
      head = commit === '' ? null : { commit, date: dateOf(seconds), summary: oneLine(summary) }
    } else if (head !== null) {
      const { before, after } = change
      changes.push({ ...head, before, after })
    }
  }
  return changes
}

/** Texts by object id, with what they differ in; what is no text, or too long, is empty. */
class Texts {
  readonly #texts = new Map<string, string>([[NO_OBJECT, '']])
  readonly #replaced = new Map<string, Replaced[]>()

  async load(oids: readonly string[], { gitDir, signal }: Call): Promise<void> {
    const wanted = [...new Set(oids)].filter(oid => !this.#texts.has(oid))
    if (wanted.length === 0) return
    for await (const { oid, bytes } of readBlobs(gitDir, wanted, signal)) {
      const text = bytes.length > MAX_TEXT_BYTES ? null : decodeText(bytes)
      this.#texts.set(oid, text ?? '')
    }
  }

  lines(oid: string): string[] {
    return linesOf(this.#texts.get(oid) ?? '')
  }

  replaced(before: string, after: string): Replaced[] {
    const key = `${before} ${after}`
    const known = this.#replaced.get(key)
    if (known !== undefined) return known
    const made = replacedIn(this.#texts.get(before) ?? '', this.#texts.get(after) ?? '')
    this.#replaced.set(key, made)
    return made
  }
}

/** A file with places in it, and what became of it. */
interface WatchedFile {
  path: string
  /** Its content at the commit that was read, and at the tip; null where that has none. */
  oid: string
  tipOid: string | null
  changes: FileChange[]
}

async function watchedFile(path: string, call: Call): Promise<WatchedFile | null> {
  const [oid, sameName] = await Promise.all([fileAt(call.commit, path, call), fileAt(call.tip, path, call)])
  if (oid === null) return null
  if (oid === sameName) return { path, oid, tipOid: oid, changes: [] }
  const moved = sameName === null ? await renamedTo(path, call) : null
  const changes = await fileChanges(moved?.path ?? path, call)
  return { path, oid, tipOid: sameName ?? moved?.oid ?? null, changes }
}

const isWithin = ({ startLine, endLine }: WatchedPlace, line: number): boolean => startLine <= line && line <= endLine

/** The lines of a place that a change concerns, 1-based. A line added between two of them is named by the second. */
function linesWithin(place: WatchedPlace, { start, end }: LineRange): number[] {
  if (start === end) return isWithin(place, start) && isWithin(place, start + 1) ? [start + 1] : []
  const from = Math.max(place.startLine, start + 1)
  const to = Math.min(place.endLine, end, from + MAX_LINES - 1)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}

/** What one commit changed of the places of a file, and which of them is the nearest to the failure. */
function touchedBy(
  { before, after, ...head }: FileChange,
  { path, oid }: WatchedFile,
  { texts, places }: { texts: Texts; places: readonly WatchedPlace[] },
): Array<ChangeSince & { nearest: number }> {
  const earlier = texts.replaced(oid, before)
  const ranges = texts
    .replaced(before, after)
    .map(({ oldStart, oldCount }) => rangeBefore({ start: oldStart, end: oldStart + oldCount }, earlier))
  const touched = places.flatMap((place, nearest) => {
    const lines = place.path === path ? ranges.flatMap(range => linesWithin(place, range)) : []
    return lines.length === 0 ? [] : [{ nearest, lines }]
  })
  const nearest = touched[0]?.nearest
  if (nearest === undefined) return []
  const lines = [...new Set(touched.flatMap(one => one.lines))].sort((a, b) => a - b).slice(0, MAX_LINES)
  return [{ ...head, path, lines, nearest }]
}

/** Whether a line is neither where it was nor, moved or indented, elsewhere in the file. */
function isGone({ line }: WatchedPlace, { oid, tipOid }: WatchedFile, texts: Texts): boolean {
  if (tipOid === null) return true
  const replaced = texts.replaced(oid, tipOid)
  const index = line - 1
  if (!replaced.some(({ oldStart, oldCount }) => oldStart <= index && index < oldStart + oldCount)) return false
  const text = texts.lines(oid)[index]?.trim()
  const now = texts.lines(tipOid)
  return !replaced.some(({ newStart, newCount }) =>
    now.slice(newStart, newStart + newCount).some(added => added.trim() === text),
  )
}

/** The changes nearest to the failure, one for each commit, newest first. */
function chosen(found: ReadonlyArray<ChangeSince & { nearest: number }>): ChangeSince[] {
  const byCommit = new Map<string, ChangeSince & { nearest: number }>()
  const nearestFirst = found.toSorted((a, b) => a.nearest - b.nearest || (a.date < b.date ? 1 : -1))
  for (const change of nearestFirst) if (!byCommit.has(change.commit)) byCommit.set(change.commit, change)
  return [...byCommit.values()]
    .slice(0, MAX_CHANGES)
    .map(({ nearest: _nearest, ...change }) => change)
    .sort((a, b) => (a.date < b.date ? 1 : -1))
}

/** The newest commit that both have; null where the clone knows of none. */
async function commonCommit({ commit, tip, ...call }: Call): Promise<string | null> {
  const base = (await output(['merge-base', commit, tip], { ...call, commit, tip })).trim()
  return isCommitId(base) ? base : null
}

interface Found {
  /** Whether something came after the commit that was read. */
  isLater: boolean
  /** Whether all that came after it was built on it. */
  isAncestor: boolean
  files: WatchedFile[]
  texts: Texts
}

/** Looks at one file after the other, so that the nearest are known when the time is up. */
async function look(places: readonly WatchedPlace[], call: Call, found: Found): Promise<void> {
  const base = await commonCommit(call)
  found.isLater = base !== null && base !== call.tip
  found.isAncestor = base === call.commit
  if (!found.isLater) return
  for (const path of [...new Set(places.map(place => place.path))].slice(0, MAX_FILES)) {
    const file = await watchedFile(path, call)
    if (file === null) continue
    const contents = file.changes.flatMap(({ before, after }) => [before, after])
    await found.texts.load([file.oid, ...(file.tipOid === null ? [] : [file.tipOid]), ...contents], call)
    found.files.push(file)
  }
}

/** What the files say of the places. */
function readFound(
  { isLater, isAncestor, files, texts }: Found,
  { places, tip }: ChangesSinceSearch,
  state: CloneState,
): Pick<ChangesSince, 'changes' | 'failingLineGone'> {
  if (!isLater) return NOTHING_LATER
  const touched = files.flatMap(file => file.changes.flatMap(change => touchedBy(change, file, { texts, places })))
  const failing = places.find(place => place.failing)
  const file = files.find(({ path }) => path === failing?.path)
  const isMissing = failing !== undefined && file !== undefined && isGone(failing, file, texts)
  // a line of a branch of its own may never have been there
  const wasThere =
    isAncestor || touched.some(({ path, lines }) => path === failing?.path && lines.includes(failing.line))
  return {
    changes: chosen(touched).map(change => asUncommitted(change, tip, state)),
    failingLineGone: isMissing && wasThere,
  }
}

/** Searches clones for later changes with bounded time and load, and keeps what was found. */
export function createChangesSinceSearch({
  clonedReposDir,
  searchPath = GIT_SEARCH_PATH,
  turns = new GitTurns(),
  timeoutMs = TIMEOUT_MS,
  budget = threadCaches,
}: SearchOptions): SearchChangesSince {
  const kept = new RecentlyUsed<string, ChangesSince>(budget, () => KEPT_BYTES)

  return async search => {
    const { repository, commit, tip, places, signal } = search
    signal?.throwIfAborted()
    const isNamed = isProjectName(repository) && isCommitId(commit) && isCommitId(tip)
    const gitDir = join(clonedReposDir, isNamed ? repository : '')
    const state = isNamed ? await readCloneState(gitDir) : null
    if (state === null || !hasHistory(state, tip)) return { ...NOTHING_LATER, status: 'shallow_history' }
    const key = JSON.stringify([repository, commit, tip, state.cutOff, places])
    const known = kept.find(key)
    if (known !== undefined) return known
    const found: Found = { isLater: false, isAncestor: false, files: [], texts: new Texts() }
    let isWhole = false
    await turns.run(async () => {
      const timeout = AbortSignal.timeout(timeoutMs)
      const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
      try {
        await look(places, { gitDir, searchPath, commit, tip, signal: either }, found)
        isWhole = true
      } catch (error) {
        signal?.throwIfAborted()
        if (!timeout.aborted) throw error
      }
    }, signal)
    const read = readFound(found, search, state)
    if (!isWhole) return { ...read, status: 'timed_out' }
    const whole: ChangesSince = { ...read, status: 'ok' }
    kept.set(key, whole)
    return whole
  }
}
