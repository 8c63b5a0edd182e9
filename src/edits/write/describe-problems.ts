import type { EditProblem } from '../edit.ts'

const MAX_HUNK_LINES = 60
const MAX_LINES = 30
const MAX_PROBLEMS = 30

/** Lines as an indented block, the first `max` of them. */
function quote(lines: readonly string[], max: number): string {
  const kept = lines.slice(0, max).map(line => `    ${line}`)
  if (lines.length > max) kept.push(`    [… ${lines.length - max} more lines]`)
  return kept.join('\n')
}

function describe({ path, hunk, reason, detail, hunkText, nearest }: EditProblem, number: number): string {
  const file = path ?? 'the reply'
  const place = hunk === null ? file : `${file}, hunk ${hunk}`
  const parts = [`${number}. ${place}: ${reason}. ${detail}`]
  if (hunkText !== '') parts.push(`What you sent:\n${quote(hunkText.split('\n'), MAX_HUNK_LINES)}`)
  for (const { startLine, lines, similarity } of nearest) {
    const percent = Math.round(similarity * 100)
    parts.push(`What the file has from line ${startLine} on (${percent} % alike):\n${quote(lines, MAX_LINES)}`)
  }
  return parts.join('\n')
}

/**
 * Describes what went wrong to the model that is asked again. The text quotes the reply and the files: fence it as
 * data.
 */
export function describeProblems(problems: readonly EditProblem[]): string {
  const shown = problems.slice(0, MAX_PROBLEMS).map((problem, i) => describe(problem, i + 1))
  const more = problems.length - shown.length
  if (more > 0) shown.push(`… and ${more} more.`)
  return shown.join('\n\n')
}
