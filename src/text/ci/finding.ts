import type { FrameAnswer, ResolutionAnswer } from '../../contract/resolution.ts'
import type { FaultReport } from '../../core/faults.ts'
import { isOfLibrary } from '../../core/path-names.ts'
import { changedSinceSentence } from '../changed-since.ts'
import { originText } from '../origin-text.ts'
import { printable, printableLine } from '../terminal-text.ts'

/** A report, and where the clones of its project come from. */
export interface CiReport extends FaultReport {
  repositories: ReadonlyArray<{ repository: string; url: string }>
}

/** Lines of a file of the project, 1-based and inclusive, and why they are shown. */
interface Place {
  path: string
  startLine: number
  endLine: number
  why: string
}

/** One fault as a report to CI shows it. */
export interface Finding {
  /** Type and message of the error, on one line. */
  title: string
  /** The type alone, `Error` where none was printed. */
  type: string
  fingerprint: string | null
  /** How many identical copies of it the log held. */
  count: number
  /** Whether code of the project was at fault. */
  isOurs: boolean
  /** The failing line in code of the project; null where no frame of the fault is in it. */
  failing: (Place & { frame: FrameAnswer }) | null
  /** Where else the cause may be, the likeliest first, in the same repository. */
  likely: Place[]
  /** Frames of the fault, outermost call first. */
  frames: FrameAnswer[]
  /** The repository of all these places. */
  repository: string | null
  commit: string
  /** What a model wrote about it, as plain text; null where none was asked or it gave no answer. */
  explanation: string | null
  /** What is to be doubted. */
  notice: string | null
  /** What later commits did to the code, in a sentence. */
  since: string | null
  /** Where it comes from, and why; null where nobody looked. */
  origin: string | null
}

const MAX_LIKELY = 3
/** Where no frame lies in the project, no place that is less likely is shown by an answer (decision 0030), either. */
const LEAST_LIKELY = 0.2
/** A caller is in the trace, at least. */
const LEAST_LIKELY_CALLER = 0.1
const MAX_TITLE_CHARS = 250
const MAX_EXPLANATION_CHARS = 1500

/** The text cut at `most` characters, with a sign that it was. */
export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

const NO_ERROR = { index: 0, type: null, message: null, fingerprint: null, count: 1 }

function rootOf({ exceptions }: ResolutionAnswer): Pick<ResolutionAnswer['exceptions'][number], keyof typeof NO_ERROR> {
  return exceptions.findLast(({ relation }) => relation === 'root') ?? exceptions.at(-1) ?? NO_ERROR
}

const isOwn = (frame: FrameAnswer): frame is FrameAnswer & { path: string } => frame.in_project && frame.path !== null

/**
 * The frame where the fault happened: the innermost one of the error itself, then of its causes; one in a library that
 * the repository keeps only where there is no other.
 */
function failingFrame({ frames }: ResolutionAnswer, root: number): (FrameAnswer & { path: string }) | null {
  const away = ({ exception }: FrameAnswer) => Math.abs(exception - root)
  const library = ({ path }: { path: string }) => (isOfLibrary(path) ? 1 : 0)
  const [first = null] = frames
    .filter(isOwn)
    .sort((a, b) => library(a) - library(b) || away(a) - away(b) || b.index - a.index)
  return first
}

/** The line of a frame in the commit that was read, as far as it is known; the first one of its file otherwise. */
export const lineOf = ({ code_line: codeLine, line }: FrameAnswer): number => Math.max(1, codeLine ?? line ?? 1)

function failingPlace(frame: (FrameAnswer & { path: string }) | null): Finding['failing'] {
  if (frame === null) return null
  const { path, why } = frame
  return { path, startLine: lineOf(frame), endLine: lineOf(frame), why, frame }
}

type Source = ResolutionAnswer['sources'][number]

/** The call in a file of the trace that is nearest to the failure and not the failing line itself. */
function callIn({ path, start_line: start, end_line: end, why }: Source, frames: FrameAnswer[], failing: Place | null) {
  const lines = frames.filter(frame => isOwn(frame) && frame.path === path).map(lineOf)
  const line = lines.findLast(at => start <= at && at <= end && !(path === failing?.path && at === failing.startLine))
  return line === undefined ? null : { path, startLine: line, endLine: line, why }
}

/** The whole range of a source beyond the trace, unless the failing line is in it. */
function rangeOf({ path, start_line: start, end_line: end, why }: Source, failing: Place | null): Place | null {
  const isFailing = path === failing?.path && start <= failing.startLine && failing.startLine <= end
  return isFailing ? null : { path, startLine: Math.max(1, start), endLine: Math.max(1, start, end), why }
}

/** Callers and other places in the order of the answer; code that other faults of the log go through is theirs. */
function likelyPlaces(
  { sources, frames }: ResolutionAnswer,
  failing: Place | null,
  repository: string | null,
): Place[] {
  return sources
    .filter(({ repository: from, reason, score }) => {
      const least = reason === 'frame' ? LEAST_LIKELY_CALLER : LEAST_LIKELY
      return from === repository && score >= least
    })
    .flatMap(source => {
      const place = source.reason === 'frame' ? callIn(source, frames, failing) : rangeOf(source, failing)
      return place ?? []
    })
    .slice(0, MAX_LIKELY)
}

function explanationOf({ answer }: ResolutionAnswer): string | null {
  const text = printable(answer?.explanation ?? '').trim()
  return text === '' ? null : cutText(text, MAX_EXPLANATION_CHARS)
}

function findingOf(resolution: ResolutionAnswer): Finding {
  const { index, type, message, fingerprint, count } = rootOf(resolution)
  const frame = failingFrame(resolution, index)
  const repository = frame?.repository ?? resolution.sources[0]?.repository ?? null
  const failing = failingPlace(frame)
  const [kind = '', said = ''] = [type, message].map(part => printableLine(part ?? '').trim())
  const title = [kind, said].filter(part => part !== '').join(': ')
  return {
    title: cutText(title || 'An error', MAX_TITLE_CHARS),
    type: cutText(kind || 'Error', MAX_TITLE_CHARS),
    fingerprint,
    count,
    isOurs: resolution.frames.some(({ in_project: inProject }) => inProject),
    failing,
    likely: likelyPlaces(resolution, failing, repository),
    frames: resolution.frames,
    repository,
    commit: resolution.commit,
    explanation: explanationOf(resolution),
    notice: resolution.notice === undefined ? null : printableLine(resolution.notice),
    since: changedSinceSentence(resolution),
    origin: originText(resolution),
  }
}

/** The faults of a report, each with its places. */
export const findingsOf = ({ resolutions }: FaultReport): Finding[] => resolutions.map(findingOf)

/** `path:line` or `path:first-last`. */
const placeText = ({ path, startLine, endLine }: Place): string =>
  `${printableLine(path)}:${startLine === endLine ? startLine : `${startLine}-${endLine}`}`

function whereText({ failing, isOurs }: Finding): string {
  if (!isOurs) return 'No frame of it is in code of the project.'
  if (failing === null) return 'A frame of it is in code of the project.'
  const called = failing.frame.function
  const within = called === null ? '' : ` in ${printableLine(called)}`
  return `Raised at ${placeText(failing)}${within}.`
}

/** What is known of a fault, in sentences on lines of their own. */
export function findingText(finding: Finding): string {
  const { title, likely, count, explanation, notice, since, origin } = finding
  const places = likely.map(place => `${placeText(place)} (${printableLine(place.why)})`)
  return [
    title,
    whereText(finding),
    ...(origin === null ? [] : [origin]),
    ...(count > 1 ? [`The log has it ${count} times.`] : []),
    ...(places.length === 0 ? [] : [`The cause may be in ${places.join(', ')}.`]),
    ...(since === null ? [] : [since]),
    ...(notice === null ? [] : [notice]),
    ...(explanation === null ? [] : [`${explanation}\n(A model wrote this; nothing has been run.)`]),
  ].join('\n')
}

/** What is said of a log that holds no fault. */
export const NO_FAULT_TEXT = 'Faultline found no error, failed test or stack trace in this log.'

/** What is said of faults that are left out. */
export const leftText = (left: number): string =>
  `The log holds ${left} more ${left === 1 ? 'fault' : 'faults'} than are shown.`
