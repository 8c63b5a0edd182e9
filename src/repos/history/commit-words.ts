const MAX_TEXT_CHARS = 200

/** A time of git, in seconds, as RFC 3339 in UTC; empty for one that cannot be. */
export function dateOf(seconds: string): string {
  const date = new Date(Number(seconds) * 1_000)
  return /^\d{1,11}$/.test(seconds) && !Number.isNaN(date.getTime()) ? date.toISOString() : ''
}

/** Names and subjects are whatever their author typed, so control characters are removed. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT_CHARS)
    .toWellFormed()
