import type { SourceReason } from '../../core/resolution.ts'
import type { CodeFile } from './code-file.ts'

/**
 * Why lines of a file are shown: lines that the trace does not name carry the reason of the evidence that points to
 * them.
 */
export function reasonFor(
  { ranked, marks }: CodeFile,
  from: number,
  to: number,
): { reason: SourceReason; why: string } {
  if (marks.some(line => from <= line && line <= to)) return { reason: ranked.reason, why: ranked.why }
  const pointing = ranked.ranges.find(({ startLine, endLine }) => startLine <= to && endLine >= from)?.why
  if (marks.length > 0) {
    return {
      reason: ranked.reason === 'frame' ? 'related' : ranked.reason,
      why: pointing ?? 'near to lines of the trace',
    }
  }
  return {
    reason: ranked.reason,
    why: pointing === undefined || ranked.why.startsWith(pointing) ? ranked.why : `${ranked.why}; here: ${pointing}`,
  }
}
