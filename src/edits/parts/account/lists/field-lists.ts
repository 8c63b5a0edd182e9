import { itemsAt, piecesOf, type List, type ListItem } from './list.ts'

const CONSTRUCTOR = /\b(?:constructor|__construct)\s*\(/g
const COMMA = /,/y
/** A parameter of a constructor that is a field of its class. */
const IS_FIELD = /\b(?:private|public|protected|readonly)\s/
const NOTHING = /^(?!)/
const BLANKS = /\s+/y
const MAX_CHARS = 4000

/** The text up to the bracket that closes the one before it; null where it is too far away. */
function inBrackets(text: string): string | null {
  let depth = 1
  for (let at = 0; at < Math.min(text.length, MAX_CHARS); at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return text.slice(0, at)
  }
  return null
}

/** A parameter under its name, which is the last word before its type and value. */
function withName(item: ListItem): ListItem {
  const [declared = ''] = item.text.split(/[=:]/, 1)
  return {
    ...item,
    key:
      declared
        .trim()
        .split(/[\s?]+/)
        .findLast(word => word !== '') ?? null,
  }
}

/** The fields that constructors declare among their parameters. */
export function fieldLists(text: string): List[] {
  const lists: List[] = []
  let [line, seen] = [0, 0]
  for (const { 0: head, index } of text.matchAll(CONSTRUCTOR)) {
    const from = index + head.length
    for (; seen < from; seen++) if (text[seen] === '\n') line++
    const inside = inBrackets(text.slice(from, from + MAX_CHARS)) ?? ''
    const items = itemsAt(inside, piecesOf(inside, COMMA), line).filter(({ text: own }) => IS_FIELD.test(own))
    lists.push({ lead: 'constructor', items: items.map(withName), standsForMany: NOTHING })
  }
  return lists
}

/** The tags behind each field of a struct in Go. */
export const goTagLists = (lines: readonly string[]): List[] =>
  lines.flatMap((line, at): List[] => {
    const [field = '', tags = '', ...rest] = line.length > MAX_CHARS ? [] : line.split('`')
    const lead = /^\s*(\w+)\s/.exec(field)?.[1]
    if (lead === undefined || rest.length !== 1 || !tags.includes(':"')) return []
    return [{ lead, items: itemsAt(tags, piecesOf(tags, BLANKS), at), standsForMany: NOTHING }]
  })
