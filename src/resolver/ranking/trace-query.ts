import { textEnds } from '../../core/both-ends.ts'
import type { MappedFrame, ParsedException, ParsedTrace } from '../../core/frame.ts'
import type { Outline, Scope } from '../../core/outline.ts'
import { rememberTexts } from '../code/file-texts.ts'
import { functionParts } from '../code/function-name.ts'
import type { SourceLines } from '../code/source-lines.ts'
import type { RankedFrame } from './rank-frames.ts'
import { plainText, type CleanText } from '../../stack-trace/layout/clean.ts'

/** A frame of the project and the code it stands in. */
export interface FramePlace {
  frame: MappedFrame
  repository: string
  path: string
  /** The line of its code; null when unknown. */
  line: number | null
  /** Bare name of the function, as printed or else from the outline. */
  name: string | null
  /** The printed class or module before it, or else the type around it. */
  owner: string | null
  /** The innermost definition around the line. */
  scope: Scope | null
  /** The innermost type around the line. */
  type: Scope | null
  lines: SourceLines
  /** See `RankedFrame`. */
  distance: 0 | 1 | 2
  /** `failing frame` and the like. */
  why: string
}

/** A trace prepared for the rankers. All texts are bounded. */
export interface TraceQuery {
  /** The text as a person reads it; of a long one only both ends. */
  text: string
  /** Types and messages, those of the failure in question first. */
  message: string
  /** The quotations in the messages. */
  quoted: string[]
  /** Names of the exceptions, without their packages: the cause is not where they are defined. */
  exceptionNames: ReadonlySet<string>
  /** Bare names of the functions of the frames, innermost first. */
  functions: string[]
  /** Frames in the project, nearest to the failure first; one for each function of a file. */
  places: FramePlace[]
  /** Files that the trace names, nearest to the failure first. */
  named: NamedFile[]
}

/** A file of the trace with the place in it that is nearest to the failure. */
export interface NamedFile extends FramePlace {
  /** All lines of the trace in it, the nearest to the failure first. */
  traceLines: number[]
}

/** Reads the project's code at the commit that the frames were mapped in. */
export interface CodeSource {
  fileText: (repository: string, path: string) => string | null
  outline: (repository: string, path: string) => Outline | null
}

const MAX_TEXT_CHARS = 20_000
const MAX_MESSAGE_CHARS = 4000
const MAX_EXCEPTIONS = 20
const MAX_QUOTED = 20
const MAX_FUNCTIONS = 30
const MAX_PLACES = 8
const MAX_NAMED = 1000
const MAX_LOOKED_AT = 400
const MAX_TRACE_LINES = 40
const QUOTED = /["'`“‘]([^"'`“”‘’\n]{2,80})["'`”’]/g
const TYPE_KINDS = new Set(['class', 'interface', 'struct', 'trait', 'impl', 'object', 'enum', 'module', 'type'])

function messagesOf(exceptions: readonly ParsedException[], focus: ParsedException | null): string {
  const ordered =
    focus === null ? exceptions : [focus, ...exceptions.filter(other => other !== focus && other.chain === focus.chain)]
  return ordered
    .slice(0, MAX_EXCEPTIONS)
    .map(({ type, message }) => `${type ?? ''} ${message ?? ''}`.trim())
    .join('\n')
    .slice(0, MAX_MESSAGE_CHARS)
}

/** The line of a frame's code; where that is unknown, the printed one. */
function lineIn({ codeLine, line }: MappedFrame, lines: SourceLines): number | null {
  if (codeLine !== null) return codeLine
  return line !== null && line >= 1 && line <= lines.length ? line : null
}

/** The definitions around a line, the innermost first. */
function scopesAround(outline: Outline | null, line: number): Scope[] {
  const around = outline?.scopes.filter(({ startLine, endLine }) => startLine <= line && line <= endLine) ?? []
  return around.sort((a, b) => a.endLine - a.startLine - (b.endLine - b.startLine) || b.startLine - a.startLine)
}

function placeOf(
  frame: MappedFrame,
  {
    repository,
    path,
    distance,
    why,
    line,
    lines,
  }: Pick<FramePlace, 'repository' | 'path' | 'distance' | 'why' | 'line' | 'lines'>,
  code: CodeSource,
): FramePlace {
  const around = line === null ? [] : scopesAround(code.outline(repository, path), line)
  const type = around.find(({ kind }) => TYPE_KINDS.has(kind)) ?? null
  const scope = around[0] ?? null
  const printed = functionParts(frame.function)
  const functionName = scope?.kind === 'function' ? scope.name : null
  return {
    frame,
    repository,
    path,
    line,
    name: printed?.name ?? functionName,
    owner: printed?.owner ?? type?.name ?? null,
    scope,
    type,
    lines,
    distance,
    why,
  }
}

function addLine(lines: number[], line: number | null): void {
  if (line !== null && lines.length < MAX_TRACE_LINES && !lines.includes(line)) lines.push(line)
}

function placesOf(ranked: readonly RankedFrame[], code: CodeSource): Pick<TraceQuery, 'places' | 'named'> {
  const places = new Map<string, FramePlace>()
  const named = new Map<string, NamedFile>()
  const texts = rememberTexts(code.fileText)
  for (const { frame, distance, why } of ranked) {
    const { repository, path } = frame
    if (repository === null || path === null) continue
    const file = `${repository}\n${path}`
    const known = named.get(file)
    if (known === undefined && named.size >= MAX_NAMED) continue
    const lines = texts.lines(repository, path)
    const line = lineIn(frame, lines)
    if (known !== undefined) addLine(known.traceLines, line)
    const key = `${file}\n${frame.function ?? line}`
    const isFull = places.size >= MAX_PLACES || places.has(key)
    if (known !== undefined && isFull) continue
    const place = placeOf(frame, { repository, path, distance, why, line, lines }, code)
    if (!isFull) places.set(key, place)
    if (known === undefined) named.set(file, { ...place, traceLines: line === null ? [] : [line] })
  }
  return { places: [...places.values()], named: [...named.values()] }
}

/**
 * Prepares a trace for the rankers: its words, names and places, with limits, so that a hostile text costs no more than
 * a long one.
 *
 * @param code - Reads the text of each file that a frame is in, and its outline.
 */
export function traceQuery(
  posted: CleanText,
  { exceptions, frames }: ParsedTrace,
  { ranked, focus, code }: { ranked: readonly RankedFrame[]; focus: ParsedException | null; code: CodeSource },
): TraceQuery {
  const text = textEnds(plainText(posted), MAX_TEXT_CHARS)
  const message = messagesOf(exceptions, focus)
  const { places, named } = placesOf(ranked, code)
  return {
    text,
    message,
    quoted: [...message.matchAll(QUOTED)].slice(0, MAX_QUOTED).map(match => match[1] ?? ''),
    exceptionNames: new Set(
      exceptions.slice(0, MAX_EXCEPTIONS).flatMap(
        ({ type }) =>
          type
            ?.slice(-200)
            .split(/[^\p{L}\p{N}_]+/u)
            .at(-1) ?? [],
      ),
    ),
    functions: [
      ...new Set(
        frames
          .slice(-MAX_LOOKED_AT)
          .reverse()
          .flatMap(frame => functionParts(frame.function)?.name ?? []),
      ),
    ].slice(0, MAX_FUNCTIONS),
    places,
    named,
  }
}
