import type { Chunk } from '../core/chunk.ts'
import type { SourceReason } from '../core/resolution.ts'
import { showLine } from './visible-text.ts'

export interface BlockSource {
  chunk: Chunk
  lines: readonly string[]
  reason: SourceReason
  why: string
}

/** Lines from `from` to `to`, 1-based and inclusive. */
export interface Range {
  from: number
  to: number
}

const MAX_LINE_CHARS = 500 // code is shorter; data that is longer explains nothing

/** One piece of code as it stands in the context: its header, then numbered lines with `>>>` before those of the trace. */
export function renderBlock (source: BlockSource, range: Range, highlighted: readonly number[]): string {
  const marked = new Set(highlighted)
  const width = String(range.to).length
  const { startLine } = source.chunk
  const rows = source.lines.slice(range.from - startLine, range.to - startLine + 1).map((line, offset) => {
    const number = range.from + offset
    return `${marked.has(number) ? '>>>' : '   '}  ${String(number).padStart(width)} | ${shown(line)}`.trimEnd()
  })
  return [header(source, range, highlighted), ...rows].join('\n')
}

export const isWholeChunk = ({ startLine, endLine }: Chunk, { from, to }: Range): boolean => from === startLine && to === endLine

function header ({ chunk, reason, why }: BlockSource, range: Range, highlighted: readonly number[]): string {
  const lines = `lines ${range.from}-${range.to}`
  const place = isWholeChunk(chunk, range) ? `[chunk ${chunk.chunkIndex + 1}/${chunk.totalChunks}, ${lines}]` : `[${lines}]`
  const note = highlighted.length > 0 ? ` (stack trace lines: ${highlighted.join(', ')})` : NOTES[reason](why)
  return `=== File: ${shown(chunk.path)} ${place}${note} ===`
}

const NOTES: Record<SourceReason, (why: string) => string> = {
  frame: () => '',
  similar: () => ' (found by similarity search)',
  lexical: () => ' (found by text search)',
  related: why => ` (related: ${shown(why)})`,
  history: why => ` (related: ${shown(why)})`,
}

function shown (line: string): string {
  if (line.length <= MAX_LINE_CHARS) return showLine(line)
  return showLine(`${line.slice(0, MAX_LINE_CHARS)} … (${line.length - MAX_LINE_CHARS} more characters)`)
}
