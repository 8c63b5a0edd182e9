import type { Content, ContentLine } from './content-lines.ts'

/** Lines that only one of two files has, between lines that both have. */
export interface LineHunk {
  lost: ContentLine[]
  fresh: ContentLine[]
  /** New comments. */
  comments: string[]
}

/** The place of each text that stands once among some lines. */
function onlyPlaces(lines: readonly ContentLine[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const [i, { text }] of lines.entries()) places.set(text, places.has(text) ? -1 : i)
  return places
}

/** The longest rising run of pairs, which come in the order of their first number. */
function risingPairs(pairs: ReadonlyArray<readonly [number, number]>): Array<readonly [number, number]> {
  const tails: number[] = []
  const previous: number[] = []
  for (const [i, [, value]] of pairs.entries()) {
    let [low, high] = [0, tails.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const tail = pairs[tails[middle] ?? 0]
      if (tail !== undefined && tail[1] < value) low = middle + 1
      else high = middle
    }
    previous[i] = tails[low - 1] ?? -1
    tails[low] = i
  }
  const run: Array<readonly [number, number]> = []
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at]
    if (pair !== undefined) run.push(pair)
  }
  return run.reverse()
}

/** Takes the lines away that both lists have, as often as both have them. */
function withoutCommon(old: readonly ContentLine[], fresh: readonly ContentLine[]): [ContentLine[], ContentLine[]] {
  const counts = new Map<string, number>()
  for (const { text } of fresh) counts.set(text, (counts.get(text) ?? 0) + 1)
  const common = new Map<string, number>()
  const lost = old.filter(({ text }) => {
    const left = counts.get(text) ?? 0
    if (left === 0) return true
    counts.set(text, left - 1)
    common.set(text, (common.get(text) ?? 0) + 1)
    return false
  })
  const added = fresh.filter(({ text }) => {
    const left = common.get(text) ?? 0
    common.set(text, left - 1)
    return left <= 0
  })
  return [lost, added]
}

/**
 * What two files do not have in common, in the order of their lines: between lines that stand once in both. A line that
 * moved is neither lost nor fresh. The work is in proportion to the lines.
 */
export function lineHunks(before: Content, after: Content): LineHunk[] {
  const places = onlyPlaces(after.lines)
  const pairs = Array.from(onlyPlaces(before.lines), ([text, i]) => [i, places.get(text) ?? -1] as const).filter(
    ([i, j]) => i >= 0 && j >= 0,
  )
  const anchors = [...risingPairs(pairs), [before.lines.length, after.lines.length] as const]
  const known = new Set(before.comments.map(({ text }) => text))
  const comments = after.comments.filter(({ text }) => !known.has(text))
  const hunks: LineHunk[] = []
  let [i, j, c] = [0, 0, 0]
  for (const [toOld, toNew] of anchors) {
    const [lost, fresh] = withoutCommon(before.lines.slice(i, toOld), after.lines.slice(j, toNew))
    const end = after.lines[toNew]?.at ?? Infinity
    const from = c
    while ((comments[c]?.at ?? Infinity) < end) c++
    if (lost.length > 0 || fresh.length > 0) {
      hunks.push({ lost, fresh, comments: comments.slice(from, c).map(({ text }) => text) })
    }
    ;[i, j] = [toOld + 1, toNew + 1]
  }
  const [lost, fresh] = withoutCommon(
    hunks.flatMap(hunk => hunk.lost),
    hunks.flatMap(hunk => hunk.fresh),
  )
  const left = new Set([...lost, ...fresh])
  const isLeft = (line: ContentLine): boolean => left.has(line)
  return hunks.map(hunk => ({ ...hunk, lost: hunk.lost.filter(isLeft), fresh: hunk.fresh.filter(isLeft) }))
}
