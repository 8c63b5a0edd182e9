import type { ExceptionRelation, Frame } from '../core/frame.ts'
import type { CleanText } from './layout/clean.ts'

export type RawFrame = Omit<Frame, 'index' | 'exception'>

export interface RawException {
  type: string | null
  message: string | null
  relation: ExceptionRelation
  /** Outermost call first. */
  frames: RawFrame[]
}

/** One failure as a runtime printed it: its exceptions in the order of the text, and the first line after it. */
export interface Failure {
  exceptions: RawException[]
  next: number
  /** Where one reader knows several languages; else the reader's own counts. Null when it cannot tell. */
  language?: string | null
}

/** What knows how one runtime prints a failure. A new runtime is a folder and a row of `readers/readers.ts`. */
export interface TraceReader {
  language: string
  /**
   * What a line must hold one of for a failure to begin there, so that no other line is read: text, in which a line
   * break stands for either end of the line without its blanks, a digit for any digit, and a character beyond ASCII for
   * any such.
   */
  opens: readonly string[]
  /**
   * Reads the failure whose trace begins at line `at`, or answers null when none does. Must look at a bounded number of
   * lines before it knows, or the whole would not be linear. A block that lists independent failures gives them all, in
   * the order of the text.
   *
   * @param floor - First line that no earlier failure has used: as far back as a message may be looked for.
   */
  read: (text: CleanText, at: number, floor: number) => Failure | Failure[] | null
}

export const MAX_MESSAGE_LINES = 30
const MAX_MESSAGE_CHARS = 4096

/** What a row says of a frame: numbers may be the digits as they were printed, and what is unknown may be left out. */
export type PrintedPlace = Partial<Omit<RawFrame, 'raw' | 'line' | 'column'>> & {
  line?: number | string | null
  column?: number | string | null
}

const numberOf = (printed: number | string | null | undefined): number | null =>
  printed === undefined || printed === null ? null : Number(printed)

/** A frame of a row; what its place does not say is null. */
export function newFrame(raw: string, place: PrintedPlace): RawFrame {
  return {
    raw,
    file: place.file ?? null,
    line: numberOf(place.line),
    column: numberOf(place.column),
    function: place.function ?? null,
    sourceText: place.sourceText ?? null,
    repeat: place.repeat ?? 1,
  }
}

/** Adds a frame; one that was printed several times in a row is one frame with a count. */
export function pushFrame(frames: RawFrame[], frame: RawFrame): void {
  const last = frames.at(-1)
  if (last !== undefined && last.raw === frame.raw) last.repeat += frame.repeat
  else frames.push(frame)
}

export const indentOf = (line: string): number => line.length - line.trimStart().length

const LEVEL = '(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)'
// A logger's name, a thread or a place in the code may stand before the level.
const NAMED_ENTRY = new RegExp(
  `^(?:[\\w.$/-]{1,80}|[[({][\\w.:$/ -]{1,80}[\\])}]) {1,4}(?:[-|:] )?(?:[[(<]${LEVEL}[\\])>]|${LEVEL} {0,4}[-|:\\]])`,
)
const OTHER_ENTRY =
  /^(?:info|debug|trace|notice|verbose): |^(?:level|lvl|severity)=\w|^(?:time|ts|timestamp)=["\d]|^(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})? \S{1,40} \S{1,80} \[?[\d"]/
const LOG_ENTRY =
  /^\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b|^\[\d|^\[[\w.-]{1,60}\] (?:TRACE|DEBUG|INFO|WARN|ERROR) |^(?:trce|dbug|info|warn|fail|crit): [A-Z][\w.]{1,200}\[\d{1,9}\]$|^\$ |^>>> |^##\[|^npm |^make[:[]|^Node\.js v\d|^Process finished|^Command exited/

/** Whether a line begins something new in a log, so that no message goes on there. */
export const startsLogEntry = (line: string): boolean =>
  LOG_ENTRY.test(line) || NAMED_ENTRY.test(line) || OTHER_ENTRY.test(line)

/**
 * Whether a line of a log ends with the name of a field whose value, a trace, was written in one line with it:
 * `level=error stack=`.
 */
export const opensField = (line: string): boolean => /\w=$/.test(line)

/** Message lines as one text, without blank ends; null when nothing is left. */
export function joinMessage(lines: string[]): string | null {
  const message = lines
    .map(line => line.trimEnd())
    .join('\n')
    .trim()
    .slice(0, MAX_MESSAGE_CHARS)
    .toWellFormed()
  return message === '' ? null : message
}
