import type { RawFrame } from './failures.ts'

const MAX_CYCLE = 5

/** Whether two rows are the same place; numbers and addresses in front of them do not count. */
function samePlace(a: RawFrame | undefined, b: RawFrame | undefined): boolean {
  if (
    a === undefined ||
    b === undefined ||
    a.line !== b.line ||
    a.column !== b.column ||
    a.file !== b.file ||
    a.function !== b.function
  ) {
    return false
  }
  return a.file !== null || a.function !== null || a.raw === b.raw
}

/** Length of the shortest cycle that begins here and stands there again at once; 0 when none does. */
function cycleAt(frames: RawFrame[], at: number): number {
  for (let length = 1; length <= MAX_CYCLE; length++) {
    let index = 0
    while (index < length && samePlace(frames[at + index], frames[at + length + index])) index++
    if (index === length) return length
  }
  return 0
}

/**
 * Frames with recursion collapsed: of a cycle of up to five frames that stands there several times in a row, one is
 * left, and its frames say how often. Linear.
 */
export function collapseRecursion(frames: RawFrame[]): RawFrame[] {
  const collapsed: RawFrame[] = []
  let at = 0
  while (at < frames.length) {
    const length = cycleAt(frames, at)
    const first = frames[at]
    if (first === undefined) break
    if (length === 0) {
      collapsed.push(first)
      at++
      continue
    }
    const cycle = frames.slice(at, at + length).map(frame => ({ ...frame }))
    for (at += length; cycle.every((frame, index) => samePlace(frame, frames[at + index])); at += length) {
      for (const [index, frame] of cycle.entries()) frame.repeat += frames[at + index]?.repeat ?? 0
    }
    collapsed.push(...cycle)
  }
  return collapsed
}
