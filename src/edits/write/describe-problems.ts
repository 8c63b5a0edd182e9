import type { EditProblem } from '../edit.ts'

const MAX_HUNK_LINES = 60
const MAX_LINES = 30
const MAX_PROBLEMS = 30

function quote(lines: readonly string[], max: number): string {
  const kept = lines.slice(0, max).map(line => `    ${line}`)
  return [...kept, ...(lines.length > max ? [`    [… ${lines.length - max} more lines]`] : [])].join('\n')
}

function describe({ path, hunk, reason, detail, hunkText, nearest }: EditProblem, number: number): string {
  const place = [path ?? 'the reply', ...(hunk === null ? [] : [`hunk ${hunk}`])].join(', ')
  const parts = [`${number}. ${place}: ${reason}. ${detail}`]
  if (hunkText !== '') parts.push(`What you sent:\n${quote(hunkText.split('\n'), MAX_HUNK_LINES)}`)
  for (const { startLine, lines, similarity } of nearest) {
    parts.push(
      `What the file has from line ${startLine} on (${Math.round(similarity * 100)} % alike):\n${quote(lines, MAX_LINES)}`,
    )
  }
  return parts.join('\n')
}

/**
 * What went wrong, in words for the model that is asked again. Everything in it comes from the reply or from the files:
 * fence it as data.
 */
export function describeProblems(problems: readonly EditProblem[]): string {
  const shown = problems.slice(0, MAX_PROBLEMS).map((problem, i) => describe(problem, i + 1))
  const more = problems.length - shown.length
  return [...shown, ...(more > 0 ? [`… and ${more} more.`] : [])].join('\n\n')
}
