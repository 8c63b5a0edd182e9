const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** The shortest and the longest time after which a project may be looked at again. */
export const SYNC_BOUNDS = { minMs: 60_000, maxMs: 30 * 86_400_000, words: 'from 1m to 30d' } as const

/** An interval such as `90s`, `15m`, `6h` or `1d` in milliseconds; null for any other text. */
export function intervalMs(text: string): number | null {
  const match = /^([1-9][0-9]{0,6})([smhd])$/.exec(text)
  const unit = UNIT_MS.get(match?.[2] ?? '')
  return unit === undefined ? null : Number(match?.[1]) * unit
}
