import type { Side } from '../../side.ts'
import { countsOf, without, type Item } from '../items.ts'
import type { List, ListItem } from './list.ts'
import { listsOf } from './lists-of.ts'

/** Lists of one lead that are compared with each other, at most. */
const MAX_PAIRS = 20_000

const textOf = ({ lead, items }: List): string => [lead, ...items.map(({ text }) => text)].join('\0')

/** The lists that the others have not as they are. */
function changed(lists: readonly List[], others: readonly List[]): List[] {
  const counts = countsOf(others.map(textOf))
  return lists.filter(list => {
    const left = counts.get(textOf(list)) ?? 0
    counts.set(textOf(list), left - 1)
    return left <= 0
  })
}

/** How many items two lists have in common, those that are only called the same for half. */
function likeness(a: List, b: List): number {
  const unlike = without(a.items, b.items).length
  const texts = new Set(b.items.map(({ text }) => text))
  return a.items.length - unlike + a.items.filter(({ text }) => texts.has(text)).length
}

/** For each list the one that it became, as far as it can be told. */
function pairs(old: readonly List[], fresh: readonly List[]): Array<readonly [List, List]> {
  if (old.length * fresh.length > MAX_PAIRS) return []
  const [first, own] = [old[0], fresh[0]]
  if (old.length === 1 && fresh.length === 1 && first !== undefined && own !== undefined) return [[first, own]]
  const left = new Set(fresh)
  return old.flatMap(list => {
    let best: { list: List; like: number } | null = null
    for (const other of left) {
      const like = likeness(list, other)
      if (like > (best?.like ?? 0)) best = { list: other, like }
    }
    if (best === null) return []
    left.delete(best.list)
    return [[list, best.list] as const]
  })
}

/** The items that a list has not any more, where nothing is in their place. */
function goneOf([old, fresh]: readonly [List, List], moved: ReadonlyMap<string, number>): ListItem[] {
  const added: Item[] = without(fresh.items, old.items)
  if (added.some(({ text }) => old.standsForMany.test(text))) return []
  const here = countsOf(fresh.items.map(({ text }) => text))
  const gone = without(old.items, fresh.items).filter(({ text }) => (moved.get(text) ?? 0) <= (here.get(text) ?? 0))
  return gone.length > added.length ? gone : []
}

/** The items that lists without brackets have lost: of values, of tags, of chains. */
export function lostOfLists(before: Side, after: Side): ListItem[] {
  const all = listsOf(before)
  const others = all.length === 0 ? [] : listsOf(after)
  const old = changed(all, others)
  const fresh = changed(others, all)
  const moved = countsOf(fresh.flatMap(({ items }) => items.map(({ text }) => text)))
  const byLead = Map.groupBy(fresh, ({ lead }) => lead)
  return [...Map.groupBy(old, ({ lead }) => lead)].flatMap(([lead, lists]) =>
    pairs(lists, byLead.get(lead) ?? []).flatMap(pair => goneOf(pair, moved)),
  )
}
