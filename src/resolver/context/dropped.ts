import type { DroppedSource } from '../../core/resolution.ts'
import type { RankedFile } from '../ranking/ranked-file.ts'
import type { CodeFile } from './code-file.ts'
import type { Excerpt, Range } from './excerpt.ts'
import { reasonFor } from './reason.ts'

const ROW_TOKENS = 5
const USUAL_ROW_TOKENS = 15
const BEGINNING_LINES = 40
const USUAL_CHANCE = 0.2 // of what evidence points to

/** The parts of a range that runs do not cover. */
function without({ from, to }: Range, runs: readonly Range[]): Range[] {
  const left: Range[] = []
  let next = from
  for (const run of runs) {
    if (run.to < next) continue
    if (run.from > to) break
    if (run.from > next) left.push({ from: next, to: run.from - 1 })
    next = run.to + 1
  }
  if (next <= to) left.push({ from: next, to })
  return left
}

function merged(ranges: readonly Range[]): Range[] {
  const result: Range[] = []
  for (const { from, to } of ranges.filter(({ from, to }) => from <= to).sort((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}

function hiddenOf(excerpt: Excerpt): Range[] {
  const { ranked, marks, lineCount } = excerpt.file
  const wanted = [
    ...ranked.ranges.map(({ startLine, endLine }) => ({
      from: Math.max(1, startLine),
      to: Math.min(lineCount, endLine),
    })),
    ...marks.map(line => ({ from: line, to: line })),
  ]
  if (wanted.length === 0 && excerpt.runs().length === 0) {
    wanted.push({ from: 1, to: Math.min(lineCount, BEGINNING_LINES) })
  }
  return merged(wanted).flatMap(range => without(range, excerpt.runs()))
}

/**
 * Every range that evidence points to and that is not shown; for a file to which nothing points, its beginning.
 *
 * @param best - The value that has the score 1.
 */
export function droppedOf(
  excerpts: readonly Excerpt[],
  unopened: readonly RankedFile[],
  best: number,
  score: (file: CodeFile, from: number, to: number) => number,
): DroppedSource[] {
  const dropped = excerpts.flatMap(excerpt =>
    hiddenOf(excerpt).map(({ from, to }) => ({
      repository: excerpt.file.ranked.repository,
      path: excerpt.file.ranked.path,
      startLine: from,
      endLine: to,
      reason: reasonFor(excerpt.file, from, to).reason,
      score: score(excerpt.file, from, to),
      tokens: excerpt.file.roughTokens(from, to, ROW_TOKENS),
    })),
  )
  const rest = unopened.flatMap(({ repository, path, reason, ranges, score }) =>
    merged(ranges.map(({ startLine, endLine }) => ({ from: startLine, to: endLine }))).map(({ from, to }) => ({
      repository,
      path,
      startLine: from,
      endLine: to,
      reason,
      score: Math.round(Math.min(1, (score * USUAL_CHANCE) / best) * 1000) / 1000,
      tokens: (to - from + 1) * USUAL_ROW_TOKENS,
    })),
  )
  return [...dropped, ...rest]
}
