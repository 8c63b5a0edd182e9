import type { Review } from '../../contract/task.ts'
import { isObject } from '../../core/is-object.ts'
import { Type } from '../../core/type.ts'

type Issue = Review['issues'][number]
type Fields = Record<string, unknown>

const SEVERITIES = ['critical', 'major', 'minor', 'nit'] as const
const closed = { additionalProperties: false }
const nullable = (type: string) => Type.Unsafe<unknown>({ type: [type, 'null'] })

/** What the reviewer answers, as the model server is told. */
export const REVIEW_JSON = {
  name: 'review',
  schema: Type.Object(
    {
      decision: Type.Enum(['approve', 'reject']),
      issues: Type.Array(
        Type.Object(
          {
            severity: Type.Enum([...SEVERITIES]),
            file: nullable('string'),
            line: nullable('integer'),
            message: Type.String(),
          },
          closed,
        ),
      ),
      summary: Type.String(),
    },
    closed,
  ),
}

/** Other words that are certain to mean one of ours. */
const SPELLINGS: ReadonlyMap<string, Issue['severity']> = new Map([
  ['nitpick', 'nit'],
  ['style', 'nit'],
])
const DECISIONS: ReadonlyMap<string, Review['decision']> = new Map([
  ['approve', 'approve'],
  ['approved', 'approve'],
  ['reject', 'reject'],
  ['rejected', 'reject'],
])
const MAX_TEXT_CHARS = 4000
const MAX_LINE = 10_000_000
const TWO_REVIEWS = 'The reply holds several reviews that differ. Give one.'

/** A review, or what is wrong with a reply, worded for the model. */
export type ReviewRead = { review: Review } | { problems: string[] }

const wordOf = (value: unknown): string => (typeof value === 'string' ? value.trim().toLowerCase() : '')

function severityOf(value: unknown): Issue['severity'] | undefined {
  const word = wordOf(value)
  return SPELLINGS.get(word) ?? SEVERITIES.find(severity => severity === word)
}

/** The number of a line, be it said as `42`, `"42"`, `"L42"` or `"42-45"`; null where none is said. */
function lineOf(value: unknown): number | null {
  const said = typeof value === 'string' ? /^\D{0,8}(\d{1,8})(?!\d)/.exec(value)?.[1] : value
  const line = Number(said ?? Number.NaN)
  return Number.isInteger(line) && line >= 1 && line <= MAX_LINE ? line : null
}

function readIssue(value: unknown, place: string): Issue | { problem: string } {
  if (!isObject(value)) return { problem: `${place} must be an object.` }
  const severity = severityOf(value.severity)
  if (severity === undefined) return { problem: `${place}/severity must be one of ${SEVERITIES.join(', ')}.` }
  const { message, file } = value
  if (typeof message !== 'string' || message.trim() === '') {
    return { problem: `${place}/message must say what is wrong.` }
  }
  const named = typeof file === 'string' ? file.trim().slice(0, MAX_TEXT_CHARS) : ''
  return {
    severity,
    file: named === '' ? null : named,
    line: lineOf(value.line),
    message: message.trim().slice(0, MAX_TEXT_CHARS),
  }
}

/** What is wrong with a review that lists no issues; null where that is as it should be. */
function whyNoList(decision: Review['decision'] | undefined): string | null {
  if (decision === 'approve') return null
  return decision === 'reject'
    ? '/issues must list what the change is rejected for.'
    : '/decision must be approve or reject, and /issues a list.'
}

function readOne(fields: Fields): ReviewRead {
  const decision = DECISIONS.get(wordOf(fields.decision))
  const { issues: listed = null, summary } = fields
  if (listed !== null && !Array.isArray(listed)) return { problems: ['/issues must be a list.'] }
  const missing = listed === null ? whyNoList(decision) : null
  if (missing !== null) return { problems: [missing] }
  const issues: Issue[] = []
  const problems: string[] = []
  for (const [index, value] of (listed ?? []).entries()) {
    const issue = readIssue(value, `/issues/${index}`)
    if ('problem' in issue) problems.push(issue.problem)
    else issues.push(issue)
  }
  if (problems.length > 0) return { problems }
  return {
    review: {
      decision: issues.some(({ severity }) => severity === 'critical') ? 'reject' : 'approve',
      issues,
      summary: typeof summary === 'string' ? summary.trim().slice(0, MAX_TEXT_CHARS) : '',
    },
  }
}

const isReview = (value: unknown): value is Fields => isObject(value) && ('decision' in value || 'issues' in value)

/**
 * Reads a review out of the JSON values of a reply. The decision is that of the issues: `reject` with a critical one,
 * whatever the reply says, and `approve` without. A line in other words, a missing file or summary are let pass; a
 * severity that nobody knows is not, as it may be a critical one.
 *
 * @param problem - Why the reply holds no value.
 */
export function readReview({ values, problem }: { values: readonly unknown[]; problem: string }): ReviewRead {
  const reviews = values.filter(isReview).map(readOne)
  const last = reviews.at(-1)
  if (last === undefined) return { problems: [problem === '' ? 'It holds no JSON object with "decision".' : problem] }
  const isSame = (read: ReviewRead): boolean => JSON.stringify(read) === JSON.stringify(last)
  return reviews.every(isSame) ? last : { problems: [TWO_REVIEWS] }
}
