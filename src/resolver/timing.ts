/** Rounds milliseconds to tenths, as the timings of an answer say them. */
export const ms = (duration: number): number => Math.round(duration * 10) / 10
