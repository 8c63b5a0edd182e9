import { itemsAt, piecesOf, type List, type Piece } from './list.ts'

/** Signs between the layers of a plot and the steps of a pipe in R. */
const PIPE = /(?:%[<>T$]?>%|\|>|(?<=[)\s])\+)\s*/y
const ENDS_IN_PIPE = /(?:%[<>T$]?>%|\|>|[)\w] ?\+) ?(?:#.*)?$/
const NAME = /^[\s?.]*([\p{L}_$][\p{L}\p{N}_$.:]*)/u
const LINK = /\??\.(?=[\p{L}_$])/uy
const GOES_ON = /^\s*\??\.[\p{L}_$]/u
const MAX_CHARS = 4000
/** A call, be it with a block of code in place of arguments. */
const CALLS = /[({]/
const NOTHING = /^(?!)/
/** Fewer links say little. */
const MIN_LINKS = 2

/** Links as a list; each is called by the function that it calls. */
function chainOf(text: string, pieces: readonly Piece[], { line, lead }: { line: number; lead: string }): List {
  const items = itemsAt(text, pieces, line).map(item => ({ ...item, key: NAME.exec(item.text)?.[1] ?? null }))
  return { lead, items, standsForMany: NOTHING }
}

/** The steps of pipes and the layers of plots in a script of R. */
export function pipeLists(lines: readonly string[]): List[] {
  const lists: List[] = []
  for (let at = 0; at < lines.length; at++) {
    let to = at
    while (to < lines.length && ENDS_IN_PIPE.test(lines[to] ?? '')) to++
    const text = lines
      .slice(at, to + 1)
      .map(line => line.split(' #', 1).join(''))
      .join('\n')
    const pieces = piecesOf(text, PIPE)
    if (pieces.length > MIN_LINKS) lists.push(chainOf(text, pieces, { line: at, lead: '' }))
    at = to
  }
  return lists
}

/** The links of a chain of calls; null where there are too few. */
function linksOf(text: string, line: number): List | null {
  if (text.length > MAX_CHARS || !text.includes('.') || !CALLS.test(text)) return null
  const [head, ...links] = piecesOf(text, LINK)
  const calls = links.filter(link => CALLS.test(link.text))
  return head === undefined || calls.length === 0 ? null : chainOf(text, calls, { line, lead: head.text.trim() })
}

/** The links of calls on each other in code, those that go over several lines as well. */
export function linkLists(lines: readonly string[]): List[] {
  const lists: List[] = []
  for (let at = 0; at < lines.length; at++) {
    const from = at
    while (GOES_ON.test(lines[at + 1] ?? '')) at++
    const list = linksOf(lines.slice(from, at + 1).join('\n'), from)
    if (list !== null) lists.push(list)
  }
  return lists
}
