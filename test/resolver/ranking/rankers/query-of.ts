import { memoryCodeReader } from '../../../fakes/memory-code-reader.ts'
import type { CodeReader } from '../../../../src/resolver/code/code-reader.ts'
import { mapFrames } from '../../../../src/resolver/mapping/map-frames.ts'
import { focusOf, rankFrames } from '../../../../src/resolver/ranking/rank-frames.ts'
import { cleanText } from '../../../../src/stack-trace/layout/clean.ts'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { traceQuery, type TraceQuery } from '../../../../src/resolver/ranking/trace-query.ts'

/** A project of these files and what a trace asks of it. */
export function queryOf(stackTrace: string, files: Record<string, string>): { query: TraceQuery; reader: CodeReader } {
  const reader = memoryCodeReader(files)
  const trace = parseStackTrace(stackTrace)
  const focus = focusOf(trace.exceptions, undefined)
  const ranked = rankFrames(mapFrames(trace.frames, reader.files(), reader.fileText), trace.exceptions, focus)
  return { query: traceQuery(cleanText(stackTrace), trace, { ranked, focus, code: reader }), reader }
}

/** A Python traceback, outermost frame first: `path:line:function`. */
export function traceback(error: string, ...frames: string[]): string {
  const rows = frames.map(frame => {
    const [path, line, name] = frame.split(':')
    return `  File "/srv/${path}", line ${line}, in ${name}\n`
  })
  return `Traceback (most recent call last):\n${rows.join('')}${error}\n`
}
