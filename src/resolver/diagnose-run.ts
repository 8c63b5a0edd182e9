import { createHash } from 'node:crypto'
import { bothEnds } from '../core/both-ends.ts'
import type { MappedFrame, ParsedException } from '../core/frame.ts'
import type { Outline } from '../core/outline.ts'
import { buildContext } from './context/build-context.ts'
import type { IndexedFile } from './code/file-index.ts'
import { mapFrames } from './mapping/map-frames.ts'
import { focusOf, rankFrames } from './ranking/rank-frames.ts'
import type { RankedFile } from './ranking/ranked-file.ts'
import { rankFrames as rankFrameFiles } from './ranking/rankers/frames.ts'
import { cleanText } from '../stack-trace/layout/clean.ts'
import { parseClean } from '../stack-trace/parse.ts'
import { traceQuery } from './ranking/trace-query.ts'

/** The output of a failed program, and how it ended. */
export interface FailedRun {
  stdout: string
  stderr: string
  ending: string
}

/** Where a run failed, and the code there. */
export interface RunDiagnosis {
  /** Equal for runs that failed in the same way at the same place. */
  signature: string
  /** The code that the trace in the output names, with the lines of the trace marked; empty without a trace. */
  context: string
  /** The files in the context, the likeliest first. */
  paths: string[]
  /** The last error in the output, for a person. */
  summary: string | null
  /** Every exception in the output with its frames in the program, outermost call first. */
  faults: RunFault[]
}

/** An exception that a run printed, and where in the program's files it passed. */
export type RunFault = {
  type: string | null
  places: Array<{ path: string; function: string | null; line: number | null }>
}

/** Exceptions of an output, and frames of each, that are kept; the innermost frames say where it failed. */
const MAX_FAULTS = 50
const MAX_PLACES = 20

function faultsOf(exceptions: readonly ParsedException[], frames: readonly MappedFrame[]): RunFault[] {
  return bothEnds([...exceptions], MAX_FAULTS).map(({ index, type }) => ({
    type,
    places: frames
      .filter(({ exception, inProject }) => exception === index && inProject)
      .slice(-MAX_PLACES)
      .flatMap(({ path, function: of, codeLine, line }) => {
        const at = codeLine ?? line
        return path === null ? [] : [{ path, function: of, line: at }]
      }),
  }))
}

/** The files of the program that ran. */
export interface ProgramFiles {
  paths: readonly string[]
  files: ReadonlyMap<string, string>
}

/** What a diagnosis needs beside the run and the program. */
interface DiagnoseDeps {
  outlineText: (text: string, path: string) => Outline | null
  countTokens: (text: string) => number
  maxTokens: number
}

const HEX_DIGITS = 32
const MAX_MESSAGE_CHARS = 2000
/** Error messages stand at the end of an output; these last lines are compared when it has no frame. */
const LAST_LINES = 5

const lastLines = (output: string): string => output.trimEnd().split('\n').slice(-LAST_LINES).join('\n')

function withoutNoise(text: string): string {
  return text
    .slice(0, MAX_MESSAGE_CHARS)
    .replace(/0x[0-9a-f]{4,16}/gi, '0x#')
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '#uuid')
    .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?\b/g, '#time')
    .replace(/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, '#time')
    .replace(/\b1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?\b/g, '#time') // since 1970, in seconds or milliseconds
    .replace(/\b\d+(?:\.\d+)? ?(?:ms|s|µs|ns|seconds?|milliseconds?)\b/g, '#duration')
    .replace(/\b(?:pid|PID)[ =:]*\d+/g, 'pid #')
    .replace(/\/tmp\/[^\s'":]+/g, '/tmp/#')
}

const messageOf = ({ type, message }: ParsedException): string => [type, message].map(part => part ?? '').join(': ')

/** The failing line as the program's file has it, or else as it was printed. */
function failingLine({ path, codeLine, line, sourceText }: MappedFrame, files: Fault['files']): string | null {
  const lines = path === null ? undefined : files.get(path)?.split('\n')
  const number = codeLine ?? line ?? 0
  return lines?.[number - 1]?.trim() ?? sourceText?.trim() ?? null
}

/**
 * Identifies a failure by the type and message of the error and the line of code where it happened. Values in the
 * message count, because when they change so did the program's state; addresses, ids, times and temporary names do not.
 */
function signatureOf({ exception, failing, files, output, ending }: Fault): string {
  const message = exception === null ? lastLines(output) : messageOf(exception)
  const place = failing === null ? null : [failing.path, failing.function, failingLine(failing, files)]
  return createHash('sha256')
    .update(JSON.stringify([ending, withoutNoise(message), place]))
    .digest('hex')
    .slice(0, HEX_DIGITS)
}

/**
 * Finds where a run of a program failed: it compares the frames of the trace in its output with the program's files.
 * Needs no index. Takes some milliseconds for a hundred files and blocks its thread.
 *
 * @param paths - All files of the program.
 * @param files - The texts of those that the output may name.
 */
export function diagnoseRun(
  { stdout, stderr, ending }: FailedRun,
  { paths, files }: ProgramFiles,
  { outlineText, countTokens, maxTokens }: DiagnoseDeps,
): RunDiagnosis {
  const text = cleanText(`${stdout}\n${stderr}`)
  const trace = parseClean(text)
  const indexed: IndexedFile[] = paths.map(path => ({ repository: '', path }))
  const reader = {
    fileText: (_repository: string, path: string) => files.get(path) ?? null,
    outline: (_repository: string, path: string) => outlineText(files.get(path) ?? '', path),
  }
  const frames = mapFrames(trace.frames, indexed, reader.fileText)
  const focus = focusOf(trace.exceptions, undefined)
  const ranked = rankFrames(frames, trace.exceptions, focus)
  const query = traceQuery(text, trace, { ranked, focus, code: reader })
  const evidence = rankFrameFiles(query, { documentFrequency: () => 0 })
  const total = evidence.reduce((sum, { score }) => sum + score, 0)
  const rankedFiles = evidence.map(({ repository, path, score, why }): RankedFile => {
    const lines = query.named.find(file => file.path === path)?.traceLines ?? []
    return {
      repository,
      path,
      score: score / total,
      reason: 'frame',
      why,
      ranges: lines.map(line => ({ startLine: line, endLine: line, why })),
      highlightedLines: lines,
    }
  })
  const { context, sources } = buildContext(rankedFiles, { reader, maxTokens, countTokens })
  return {
    signature: signatureOf({
      exception: focus,
      failing: ranked[0]?.frame ?? null,
      files,
      output: `${stdout}\n${stderr}`,
      ending,
    }),
    context,
    paths: [...new Set(sources.map(({ path }) => path))],
    summary: focus === null ? null : [focus.type, focus.message].filter(part => part !== null).join(': '),
    faults: faultsOf(trace.exceptions, frames),
  }
}

interface Fault {
  exception: ParsedException | null
  failing: MappedFrame | null
  files: ReadonlyMap<string, string>
  output: string
  ending: string
}
