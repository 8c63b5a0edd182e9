import type { CleanText } from '../../layout/clean.ts'
import { goFrame, isGoNoise } from './go-frame.ts'
import type { RawException, RawFrame } from '../../failures.ts'
import { pushFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES, opensField, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

/** An error that wraps another prints the other first, so the last is the one that was reported. */
function related(exceptions: RawException[]): RawException[] {
  return exceptions.map((exception, index) => ({
    ...exception,
    relation: index === exceptions.length - 1 ? 'root' : 'cause',
  }))
}

function readFrames(lines: readonly string[], at: number): { frames: RawFrame[]; next: number } {
  const frames: RawFrame[] = []
  let next = at
  for (
    let found = goFrame(lines, next);
    found !== null || isGoNoise(lineAt(lines, next).trim());
    found = goFrame(lines, next)
  ) {
    if (found !== null) pushFrame(frames, found.frame)
    next += found?.lines ?? 1
  }
  return { frames: frames.reverse(), next }
}

const isRuntime = ({ function: name }: RawFrame): boolean => name?.startsWith('runtime.') === true

/** Where the stack of a wrapping error begins: a message below this stack, and a stack that began at the same call. */
function outerStack(lines: readonly string[], at: number, frames: RawFrame[]): number | null {
  const mine = frames.find(frame => !isRuntime(frame))
  for (let next = at + 1; next < at + 4; next++) {
    if (lineAt(lines, next - 1).trim() === '') return null
    if (goFrame(lines, next) === null) continue
    const theirs = readFrames(lines, next).frames.find(frame => !isRuntime(frame))
    return mine !== undefined && theirs !== undefined && mine.raw === theirs.raw ? next : null
  }
  return null
}

/** A line that may belong to a message: no empty one, and no line of a log up to the field that holds the stack. */
const isSaid = (line: string): boolean => line.trim() !== '' && !opensField(line)

function messageAbove(text: CleanText, floor: number, at: number): string | null {
  let start = at
  while (
    start > floor &&
    start > at - MAX_MESSAGE_LINES &&
    isSaid(lineAt(text.lines, start - 1)) &&
    !startsLogEntry(lineAt(text.lines, start).trim())
  ) {
    start--
  }
  return joinMessage(text.lines.slice(start, at))
}

/** Reads stacks that stand without the runtime's header: `%+v` of an error, a logger's field, a leak checker's list. */
export const goError: TraceReader = {
  language: 'go',
  opens: ['.', 'panic', '%2e', '\n#'],
  read(text, at, floor) {
    if (goFrame(text.lines, at) === null) return null
    const exceptions: RawException[] = []
    let next = at
    let from = floor
    for (;;) {
      const { frames, next: end } = readFrames(text.lines, next)
      const message = messageAbove(text, from, next)
      exceptions.push({ type: null, message, relation: 'root', frames })
      next = end
      const outer = outerStack(text.lines, next, frames)
      if (outer === null) return { exceptions: related(exceptions), next }
      from = next
      next = outer
    }
  },
}
