import type { Side } from '../side.ts'
import { contentOf, weightOf, type ContentLine } from './content-lines.ts'
import { lineHunks, type LineHunk } from './line-hunks.ts'
import { cutTest, losesCode, withoutPartner } from './lost-code.ts'
import { LostItems } from './lost-items.ts'
import { lostOfLists } from './lists/lost-of-lists.ts'
import { OpenLines } from './open-lines.ts'

/** Lines of a file that a block has not, and for which nothing in it stands. */
export interface Loss {
  /** The first of them, by its number. */
  at: number
  count: number
  /** Where the line has a new one in its place: what of it stands nowhere any more. */
  items?: readonly string[]
}

/** What accounts for lines that are gone. */
export interface Excuses {
  /** Whether a line may be gone. */
  mayGo: (line: Pick<ContentLine, 'at' | 'text'>) => boolean
  /** Whether code may stand in another place than what it replaces. */
  reworks: boolean
}

const DEBUG = new RegExp(
  '^(?:print\\w*!?|console\\.\\w+|System\\.out\\.\\w+|fmt\\.Print\\w*|puts|pp?|var_dump|echo|dbg!|e?println!|cat' +
    '|log(?:ger|ging)?\\.\\w+|Log\\.\\w+|std::cout)(?:\\b|\\s|\\(|$)',
)
const BREAKPOINT = /^(?:debugger|breakpoint\(\)|import pdb|i?pdb\.set_trace|binding\.pry)/

/** Groups lines that follow one another in the file. */
function grouped(lost: readonly ContentLine[], order: ReadonlyMap<number, number>): Loss[] {
  const losses: Array<Loss & { end: number; owner: number }> = []
  for (const { at, owner } of [...lost].sort((a, b) => a.at - b.at)) {
    const place = order.get(at) ?? 0
    const last = losses.at(-1)
    if (last !== undefined && last.end + 1 === place && last.owner === owner) {
      last.count++
      last.end = place
    } else losses.push({ at, count: 1, end: place, owner })
  }
  return losses.map(({ at, count }) => ({ at, count }))
}

/** What lists without brackets have lost, in lines of which nothing is known to be lost. */
function unlistedLosses(
  before: Side,
  after: Side,
  { mayGo, known }: Pick<Excuses, 'mayGo'> & { known: ReadonlyArray<{ at: number }> },
): Loss[] {
  const isKnown = new Set(known.map(({ at }) => at))
  const lost = lostOfLists(before, after).filter(({ line, text }) => !isKnown.has(line) && !mayGo({ at: line, text }))
  return Array.from(
    Map.groupBy(lost, ({ line }) => line),
    ([at, items]) => ({ at, count: 1, items: items.map(({ text }) => text) }),
  )
}

/**
 * The lines of a file that vanish when a block replaces it: each line that holds something must be kept, have moved, or
 * have new lines in its place that say as much. Code in functions may be written anew and get shorter.
 */
export function lossesOf(before: Side, after: Side, { mayGo, reworks }: Excuses): Loss[] {
  if (before.account === 'none') return []
  const content = contentOf(before)
  const fresh = contentOf(after)
  const hunks = lineHunks(content, fresh)
  const sizes = new Map<number, number>()
  for (const { owner, at } of content.lines) if (at !== owner) sizes.set(owner, (sizes.get(owner) ?? 0) + 1)
  const isFree = (line: ContentLine): boolean =>
    BREAKPOINT.test(line.text) ||
    (line.owner !== -1 && (DEBUG.test(line.text) || line.at === line.owner)) ||
    mayGo(line)
  const spareOf = (hunk: LineHunk): number => Math.max(0, weightOf(hunk.fresh) - weightOf(hunk.lost))
  const spare = hunks.reduce((sum, hunk) => sum + spareOf(hunk), 0)
  const isOnlyCut = cutTest(hunks, fresh)
  const lost = hunks.flatMap(hunk => {
    const byOwner = Map.groupBy(
      hunk.lost.filter(line => !isFree(line)),
      ({ owner }) => owner,
    )
    return [...byOwner].flatMap(([owner, old]) => {
      if (owner === -1) return new OpenLines(hunk).lost(old, reworks ? spare : 0)
      const size = sizes.get(owner) ?? 0
      if (losesCode(old, hunk, { size, spare, isOnlyCut: !reworks && isOnlyCut(old) })) return old
      const left = reworks ? [] : withoutPartner(old, hunk)
      return left.length > 0 && isOnlyCut(left) ? left : []
    })
  })
  const whole = new Set(lost)
  const items = new LostItems(before, after, hunks)
  const shrunk = hunks.flatMap(hunk =>
    hunk.lost
      .filter(line => !whole.has(line) && !isFree(line))
      .map(line => ({
        at: line.at,
        count: 1,
        items: items.of(line, hunk).filter(text => !mayGo({ ...line, text })),
      })),
  )
  const losses = grouped(lost, new Map(content.lines.map(({ at }, i) => [at, i])))
  const told = [...losses, ...shrunk.filter(loss => loss.items.length > 0)]
  return [...told, ...unlistedLosses(before, after, { mayGo, known: [...lost, ...told] })]
}
