import type { RawFrame } from './failures.ts'

/** What a row says of a frame: numbers may be the digits as they were printed, and what is unknown may be left out. */
export type PrintedPlace = Partial<Omit<RawFrame, 'raw' | 'line' | 'column'>> & {
  line?: number | string | null
  column?: number | string | null
}

const numberOf = (printed: number | string | null | undefined): number | null =>
  printed === undefined || printed === null ? null : Number(printed)

/** The frame of a row; what its place does not say is null. */
export function newFrame(raw: string, place: PrintedPlace): RawFrame {
  return {
    raw,
    file: place.file ?? null,
    line: numberOf(place.line),
    column: numberOf(place.column),
    function: place.function ?? null,
    sourceText: place.sourceText ?? null,
    repeat: place.repeat ?? 1,
  }
}

/** Adds a frame; rows that are printed alike one below the other are one frame with a count. */
export function pushFrame(frames: RawFrame[], frame: RawFrame): void {
  const last = frames.at(-1)
  if (last !== undefined && last.raw === frame.raw) last.repeat += frame.repeat
  else frames.push(frame)
}

/** Whether two frames are of one line of one function in a known file. */
const isSameLine = (a: RawFrame, b: RawFrame): boolean =>
  a.file !== null && a.file === b.file && a.line === b.line && a.function === b.function

/**
 * Adds a frame as `pushFrame` does, for runtimes that number their rows or print arguments: rows of one place are one
 * frame with a count, however they are printed.
 *
 * @param anyColumn - Whether calls in different columns of the line are one, too.
 */
export function pushPlace(frames: RawFrame[], frame: RawFrame, anyColumn = false): void {
  const last = frames.at(-1)
  const isSame = last !== undefined && isSameLine(last, frame) && (anyColumn || last.column === frame.column)
  if (isSame) last.repeat++
  else pushFrame(frames, frame)
}

/**
 * Frames of runtimes that print the function a line calls, not the one it stands in: each gets the name that the next
 * outer one printed.
 *
 * @param frames - Outermost first, each with the function that its line called.
 * @param outermost - The name of what the first line stands in.
 */
export function namedByCaller(frames: readonly RawFrame[], outermost: string | null): RawFrame[] {
  const callers = [outermost, ...frames.map(({ function: called }) => called)]
  return frames.map((frame, index) => ({ ...frame, function: callers[index] ?? null }))
}
