import type { SourceReason } from '../../core/resolution.ts'
import type { CodeFile } from './code-file.ts'

/** Why lines of a file are wanted: of a file that the trace names, lines that it does not name are there for what points to them. */
export function reasonFor ({ ranked, marks }: CodeFile, from: number, to: number): { reason: SourceReason, why: string } {
  if (marks.some(line => from <= line && line <= to)) return { reason: ranked.reason, why: ranked.why }
  const pointing = ranked.ranges.find(({ startLine, endLine }) => startLine <= to && endLine >= from)
  const reason = ranked.reason === 'frame' && marks.length > 0 ? 'related' : ranked.reason
  return { reason, why: pointing?.why ?? (marks.length > 0 ? 'near to lines of the trace' : ranked.why) }
}
