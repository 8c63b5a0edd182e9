import { NOT_COMMITTED } from '../../core/uncommitted.ts'
import type { LocatedCode, MarkedLine, Past, SuspectCommit } from '../../core/resolution.ts'
import type { LineChange, LineHistory, MarkedFile, SearchSuspects } from '../../repos/history/suspects.ts'
import type { RankedFrame } from '../ranking/rank-frames.ts'
import { isOfLibrary } from '../../core/path-names.ts'

const MAX_SUSPECTS = 5
/** Frames of a deep trace that are looked at, those nearest to the failure. */
const MAX_FRAMES = 24
const DAY_MS = 86_400_000
/** A commit this much older than another is half as suspicious, all else being equal. */
const HALF_LIFE_DAYS = 30
/** Logs often leave out the time zone, and clocks differ. */
const SLACK_MS = DAY_MS

const FAILING_SHARE = 0.5
const RECENCY_SHARE = 0.3
const FRAMES_SHARE = 0.2
/** The factor for a commit whose lines a later commit changed again. */
const EARLIER = 0.6
/** The factor for a commit made after the crash: it cannot have been in what ran, unless a clock was wrong. */
const AFTER_THE_TRACE = 0.05

type ChangeIn = LineChange & { repository: string }

/** The commits that changed the lines of a trace, and whether the history was complete. */
export type Suspects = Past

/** Finds the commits that changed the lines of a trace. */
export type FindSuspects = (marked: LocatedCode['marked'], signal?: AbortSignal) => Promise<Suspects>

function filesOf(frames: readonly MarkedLine[]): MarkedFile[] {
  return [...Map.groupBy(frames, ({ path }) => path)].map(([path, own]) => ({
    path,
    lines: own.map(({ line }) => line),
    failing: own.filter(({ failing }) => failing).map(({ line }) => line),
  }))
}

const isIn = ({ repository, path, line }: MarkedLine, change: ChangeIn): boolean =>
  change.repository === repository && change.path === path && change.lines.includes(line)

const weightOf = (frames: readonly MarkedLine[]): number => frames.reduce((sum, { weight }) => sum + weight, 0)

function timeBefore(ms: number): string {
  const hours = Math.round(ms / 3_600_000)
  if (hours < 1) return 'about the time of'
  const [count, unit] = hours < 48 ? [hours, 'hour'] : [Math.round(hours / 24), 'day']
  return `${count} ${unit}${count === 1 ? '' : 's'} before`
}

function kindOfLine({ failing, path }: MarkedLine): string {
  if (failing) return 'the failing line'
  return isOfLibrary(path) ? "a library's line" : "a caller's line"
}

function whenOf(beforeMs: number | null, isLate: boolean): string {
  if (beforeMs === null) return ''
  return isLate ? ', but after the time of the trace' : `, ${timeBefore(beforeMs)} the trace`
}

/** How much a change of the failing line counts. */
function failingShare({ failing }: MarkedLine, kind: LineChange['kind']): number {
  if (!failing) return 0
  return kind === 'last' ? 1 : EARLIER
}

/** What a change did to a line. */
function deedOf(place: string, kind: LineChange['kind'], isCommitted: boolean): string {
  if (!isCommitted) return `changed ${place}, which is not committed`
  return kind === 'last' ? `last changed ${place}` : `changed ${place} before the commit that it is from now`
}

function whyOf({
  nearest,
  commit,
  kind,
  touched,
  frames,
  beforeMs,
  isLate,
}: {
  nearest: MarkedLine
  commit: string
  kind: LineChange['kind']
  touched: number
  frames: number
  beforeMs: number | null
  isLate: boolean
}): string {
  const place = `${kindOfLine(nearest)} ${nearest.path}:${nearest.line}`
  const what = deedOf(place, kind, commit !== NOT_COMMITTED)
  const many = frames > 1 ? `; touches ${touched} of ${frames} frames` : ''
  return `${what}${whenOf(beforeMs, isLate)}${many}`
}

function suspectOf(
  changes: readonly ChangeIn[],
  frames: readonly MarkedLine[],
  { tracedAt, newest }: { tracedAt: number | null; newest: number },
): SuspectCommit[] {
  const touched = frames.filter(frame => changes.some(change => isIn(frame, change)))
  const nearest = touched[0]
  const change = changes.find(candidate => nearest !== undefined && isIn(nearest, candidate))
  if (nearest === undefined || change === undefined) return []
  const { commit, author, date, summary } = change
  const time = Date.parse(date)
  const isLate = tracedAt !== null && time > tracedAt + SLACK_MS
  const recency = 2 ** (-Math.max(0, (tracedAt ?? newest) - time) / DAY_MS / HALF_LIFE_DAYS)
  const failing = failingShare(nearest, change.kind)
  const score =
    (FAILING_SHARE * failing + RECENCY_SHARE * recency + (FRAMES_SHARE * weightOf(touched)) / weightOf(frames)) *
    (isLate ? AFTER_THE_TRACE : 1)
  const lines = new Set(
    touched
      .filter(({ path, repository }) => path === nearest.path && repository === nearest.repository)
      .map(({ line }) => line),
  )
  return [
    {
      commit,
      author,
      date,
      summary,
      path: nearest.path,
      lines: [...lines].sort((a, b) => a - b),
      score: Math.round(score * 100) / 100,
      why: whyOf({
        nearest,
        commit,
        kind: change.kind,
        touched: touched.length,
        frames: frames.length,
        beforeMs: tracedAt === null ? null : tracedAt - time,
        isLate,
      }),
    },
  ]
}

function rankChanges(
  changes: readonly ChangeIn[],
  frames: readonly MarkedLine[],
  tracedAt: number | null,
): SuspectCommit[] {
  const newest = Math.max(...changes.map(({ date }) => Date.parse(date)))
  const groups = [...Map.groupBy(changes, ({ repository, commit }) => `${repository}\n${commit}`).values()]
  return groups
    .flatMap(own => suspectOf(own, frames, { tracedAt, newest }))
    .sort((a, b) => b.score - a.score || (a.date < b.date ? 1 : -1))
    .slice(0, MAX_SUSPECTS)
}

const WORST_FIRST = ['timed_out', 'shallow_history'] as const

/** What several searches together say of how much was found. */
export const worstOf = (statuses: ReadonlyArray<LineHistory['status']>): LineHistory['status'] =>
  WORST_FIRST.find(status => statuses.includes(status)) ?? 'ok'

/**
 * The commits that changed the lines of a trace, the most suspicious first. Needs the clone's history; the status says
 * when that was missing or the time ran out.
 */
export async function findSuspects(
  { lines, tracedAt }: LocatedCode['marked'],
  search: SearchSuspects,
  signal?: AbortSignal,
): Promise<Suspects & { suspectsStatus: LineHistory['status'] }> {
  const histories = await Promise.all(
    [...Map.groupBy(lines, ({ repository }) => repository)].map(async ([repository, own]) => {
      const commit = own[0]?.commit ?? ''
      const history = await search({
        repository,
        commit,
        ranges: filesOf(own),
        ...(signal === undefined ? {} : { signal }),
      })
      return { status: history.status, changes: history.changes.map(change => ({ ...change, repository })) }
    }),
  )
  return {
    suspectCommits: rankChanges(
      histories.flatMap(({ changes }) => changes),
      lines,
      tracedAt,
    ),
    suspectsStatus: worstOf(histories.map(({ status }) => status)),
  }
}

/**
 * The lines of a trace whose past git can be asked for.
 *
 * @param ranked - Frames in the project, nearest to the failure first.
 * @param commitOf - The commit at which a repository is read.
 * @param sinceOf - What later changes of a line are looked for by; nothing where it is read at the indexed commit.
 */
export function markedLines(
  ranked: readonly RankedFrame[],
  commitOf: (repository: string) => string | null,
  sinceOf: (repository: string, path: string, line: number) => MarkedLine['since'] = () => undefined,
): MarkedLine[] {
  return ranked.slice(0, MAX_FRAMES).flatMap(({ frame: { repository, path, codeLine }, rank }) => {
    const commit = repository === null ? null : commitOf(repository)
    if (repository === null || path === null || codeLine === null || commit === null) return []
    const since = sinceOf(repository, path, codeLine)
    const marked = { repository, path, line: codeLine, commit, weight: 1 / (1 + rank), failing: rank === 0 }
    return [since === undefined ? marked : { ...marked, since }]
  })
}
