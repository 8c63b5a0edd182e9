/** Headers of an answer, in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

const textOf = (headers: AnswerHeaders, name: string): string | null => {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

function retryAfterMs(value: string, nowMs: number): number | null {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

/** The time of a reset, in seconds since 1970, as GitHub and GitLab give it. */
function resetMs(headers: AnswerHeaders, nowMs: number): number | null {
  const value = textOf(headers, 'x-ratelimit-reset') ?? textOf(headers, 'ratelimit-reset')
  return value !== null && /^\d{9,11}$/.test(value) ? Math.max(0, Number(value) * 1000 - nowMs) : null
}

/** GitHub asks for a minute where a secondary limit names no time. */
const SECONDARY_MS = 60_000

/**
 * How long a forge wants to be left alone; null where an answer is about no limit. GitHub says 403 as well as 429, both
 * for the limit of an hour and for its secondary limits.
 */
export function rateLimitMs(
  { status, headers, said }: { status: number; headers: AnswerHeaders; said: string },
  nowMs: number,
): number | null {
  if (status !== 429 && status !== 403) return null
  const after = textOf(headers, 'retry-after')
  const asked = after === null ? null : retryAfterMs(after, nowMs)
  if (asked !== null) return asked
  const isUsedUp = (textOf(headers, 'x-ratelimit-remaining') ?? textOf(headers, 'ratelimit-remaining')) === '0'
  const reset = resetMs(headers, nowMs)
  if ((isUsedUp || status === 429) && reset !== null) return reset
  if (/secondary rate limit|abuse detection/i.test(said)) return SECONDARY_MS
  return status === 429 ? 0 : null
}
