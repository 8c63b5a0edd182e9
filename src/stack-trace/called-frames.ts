import type { RawFrame } from './trace-reader.ts'

/**
 * Runtimes that print the function a line calls, not the one it stands in: each frame gets the name that the next inner
 * one printed.
 *
 * @param frames - Outermost first, each with the function that its line called.
 * @param outermost - The name of what the first line stands in.
 */
export function namedByCaller(frames: readonly RawFrame[], outermost: string | null): RawFrame[] {
  const callers = [outermost, ...frames.map(({ function: called }) => called)]
  return frames.map((frame, index) => ({ ...frame, function: callers[index] ?? null }))
}
