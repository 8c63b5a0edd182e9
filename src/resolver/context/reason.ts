import type { SourceReason } from '../../core/resolution.ts'
import type { CodeFile } from './code-file.ts'

/** Reasons of searches by words, as far as nothing else is said in them. */
const SHARES_WORDS = /^shares (?:rare )?words with [\w ]+$/

/** The reasons without further ones of a kind: that a file shares words with a trace is said once. */
function saidOnce(why: string): string {
  const reasons = why.split('; ')
  const first = reasons.findIndex(reason => SHARES_WORDS.test(reason))
  return reasons.filter((reason, at) => at <= first || !SHARES_WORDS.test(reason)).join('; ')
}

/** Adds what speaks for these very lines, unless the reasons for the file say as much. */
function withLines(why: string, pointing: string): string {
  const isSaid =
    why.includes(pointing) || (SHARES_WORDS.test(pointing) && why.split('; ').some(reason => SHARES_WORDS.test(reason)))
  return isSaid ? why : `${why}; here: ${pointing}`
}

/**
 * Why lines of a file are shown: lines that the trace does not name carry the reason of the evidence that points to
 * them.
 */
export function reasonFor(
  { ranked, marks }: CodeFile,
  from: number,
  to: number,
): { reason: SourceReason; why: string } {
  if (marks.some(line => from <= line && line <= to)) return { reason: ranked.reason, why: saidOnce(ranked.why) }
  const pointing = ranked.ranges.find(({ startLine, endLine }) => startLine <= to && endLine >= from)?.why
  if (marks.length > 0) {
    return {
      reason: ranked.reason === 'frame' ? 'related' : ranked.reason,
      why: pointing ?? 'near to lines of the trace',
    }
  }
  const why = saidOnce(ranked.why)
  return { reason: ranked.reason, why: pointing === undefined ? why : withLines(why, pointing) }
}
