import type { MappedFrame, ParsedException } from '../../core/frame.ts'
import { isOfLibrary } from '../../core/path-names.ts'

/** A frame in the project with its distance from the failure. */
export interface RankedFrame {
  frame: MappedFrame
  /** 0 for the frame where the failure happened and no other, growing with the distance from it. */
  rank: number
  /** 0: in the exception in question; 1: in another one of the same failure; 2: in another failure of the text. */
  distance: 0 | 1 | 2
  why: string
}

/**
 * The exception that an answer is about: the requested one, else the last root.
 *
 * @returns null when there is none with that index.
 */
export function focusOf(exceptions: readonly ParsedException[], wanted: number | undefined): ParsedException | null {
  if (wanted !== undefined) return exceptions[wanted] ?? null
  return exceptions.findLast(({ relation }) => relation === 'root') ?? exceptions.at(-1) ?? null
}

/** Only the failure in question has a failing frame; the frames of others count less from the first. */
const MIN_RANKS = [0, 1, 20] as const

const isLibrary = ({ path }: MappedFrame): boolean => path !== null && isOfLibrary(path)

function distance(exception: ParsedException, focus: ParsedException | null): 0 | 1 | 2 {
  if (focus === null || exception.index === focus.index) return 0
  return exception.chain === focus.chain ? 1 : 2
}

function nearness(a: ParsedException, b: ParsedException, focus: ParsedException | null): number {
  const from = focus?.index ?? 0
  return a.chain === b.chain ? Math.abs(a.index - from) - Math.abs(b.index - from) : b.chain - a.chain
}

function whyOf(
  frame: MappedFrame,
  rank: number,
  exception: ParsedException | undefined,
  focus: ParsedException | null,
): string {
  const isFocus = exception === undefined || focus === null || exception.index === focus.index
  if (rank === 0 && isFocus) return 'failing frame'
  if (isFocus) {
    const place = isLibrary(frame) ? 'in a library that the repository keeps' : 'a caller of the failing one'
    return `frame ${frame.index}, ${place}`
  }
  const name = exception?.type ?? 'an error'
  if (exception?.chain !== focus.chain) return `frame ${frame.index} of another failure in the text (${name})`
  return `frame ${frame.index} of ${name} in the same chain`
}

/**
 * The frames in the project, nearest to the failure first: those of the exception in question from the failing line
 * outwards, then of the rest of its chain, then of other failures in the text, the latest first. Frames in libraries
 * that the repository keeps a copy of come after its own, because failures there are seldom fixed there.
 */
export function rankFrames(
  frames: readonly MappedFrame[],
  exceptions: readonly ParsedException[],
  focus: ParsedException | null,
): RankedFrame[] {
  const order = [...exceptions].sort((a, b) => distance(a, focus) - distance(b, focus) || nearness(a, b, focus))
  const position = new Map(order.map(({ index }, at) => [index, at]))
  const tier = (frame: MappedFrame): number =>
    (exceptions[frame.exception]?.chain === focus?.chain ? 0 : 2) + (isLibrary(frame) ? 1 : 0)
  const inProject = frames
    .filter(frame => frame.inProject)
    .sort(
      (a, b) =>
        tier(a) - tier(b) || (position.get(a.exception) ?? 0) - (position.get(b.exception) ?? 0) || b.index - a.index,
    )
  const hasOwn = inProject.some(frame => !isLibrary(frame))
  return inProject.map((frame, position) => {
    const exception = exceptions[frame.exception]
    const away = exception === undefined ? 0 : distance(exception, focus)
    const rank = Math.max(position, MIN_RANKS[away], hasOwn && isLibrary(frame) ? 1 : 0)
    return { frame, rank, distance: away, why: whyOf(frame, rank, exception, focus) }
  })
}
