import { bothEnds } from '../core/both-ends.ts'
import type { Frame, ParsedException, ParsedTrace } from '../core/frame.ts'
import { createChains, type Chain } from './chains.ts'
import { cleanText, type CleanText } from './layout/clean.ts'
import { findReaders } from './openings.ts'
import { READERS } from './readers/readers.ts'
import { placeTokens } from './place-tokens.ts'
import { collapseRecursion } from './recursion.ts'
import type { Failure } from './failures.ts'
import { lineAt } from './lines.ts'

const readersFor = findReaders(READERS)

const MAX_FRAMES = 1000
const MAX_EXCEPTIONS = 1000

const MIN_LINE_CHARS = 4 // of a line at which a trace may begin

/** The failures that begin at a line, by the first reader that knows them; null when none does. */
function failuresAt(clean: CleanText, at: number, floor: number): Failure[] | null {
  const line = lineAt(clean.lines, at)
  if (line.length < MIN_LINE_CHARS) return null
  for (const reader of readersFor(line)) {
    const read = reader.read(clean, at, floor)
    if (read === null) continue
    const failures = Array.isArray(read) ? read : [read]
    return failures.map(({ language = reader.language, ...failure }) => ({ ...failure, language }))
  }
  return null
}

function readFailures(clean: CleanText): Chain[] {
  const chains = createChains(MAX_EXCEPTIONS, clean.origins === undefined)
  let floor = 0
  let at = 0
  while (at < clean.lines.length) {
    const failures = failuresAt(clean, at, floor)
    if (failures === null) {
      at++
      continue
    }
    for (const { exceptions, language = null } of failures) {
      if (exceptions.length === 0) continue
      for (const exception of exceptions) exception.frames = collapseRecursion(exception.frames)
      chains.add({ language, exceptions, at: clean.origins?.[at] ?? at })
    }
    floor = Math.max(failures.at(-1)?.next ?? 0, at + 1)
    at = floor
  }
  if (!chains.hasFrames()) {
    for (const { exceptions, language = null } of placeTokens(clean)) {
      chains.add({ language, exceptions, at: clean.lines.length })
    }
  }
  return chains.kept()
}

function numbered(chains: Chain[]): ParsedTrace {
  const all = chains.flatMap(({ language, count, exceptions, number: chain }) =>
    exceptions.map(exception => ({ exception, language, count, chain })),
  )
  const kept = bothEnds(all, MAX_EXCEPTIONS)
  const framesTotal = kept.reduce((total, { exception }) => total + exception.frames.length, 0)
  const exceptions: ParsedException[] = []
  const frames: Frame[] = []
  let position = 0
  for (const { exception, language, count, chain } of kept) {
    const index = exceptions.length
    const { type, message, relation } = exception
    exceptions.push({ index, type, message, language, relation, count, chain })
    for (const frame of exception.frames) {
      if (position < MAX_FRAMES / 2 || position >= framesTotal - MAX_FRAMES / 2) {
        frames.push({ index: position, exception: index, ...frame })
      }
      position++
    }
  }
  return { exceptions, frames, framesTotal }
}

/** Finds every failure in a cleaned text. Cleaning a long text takes as long as reading it, so it is done once. */
export function parseClean(text: CleanText): ParsedTrace {
  return numbered(readFailures(text))
}

/**
 * Finds every failure in a posted text: one trace, a chain of them, or a whole log. Identical failures are folded into
 * the first with a count. Never throws; linear in the length of the text. Of more than 1000 frames, or exceptions, the
 * first and the last 500 are kept.
 */
export function parseStackTrace(text: string): ParsedTrace {
  return parseClean(cleanText(text))
}
