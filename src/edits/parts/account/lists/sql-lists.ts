import type { Side } from '../../side.ts'
import { ANY_NUMBER, itemsAt, piecesOf, type List } from './list.ts'

const COMMA = /,/y
/** What begins and ends the columns that a statement takes. */
const CLAUSE = /\bselect\b(?:\s+distinct\b)?|\bfrom\b|;/gi
const COLUMN = /^\s*["`]?(\w+)["`]?\s+\w/
/** What a column must be, apart from its type. */
const CONSTRAINT = new RegExp(
  '\\b(?:not null|default|unique|primary key|references|check|auto_increment|generated|collate' +
    '|on (?:delete|update) (?:cascade|restrict|no action|set null|set default))\\b',
  'gi',
)
const NOTHING = /^(?!)/
const MAX_LINE = 500

/** The columns that each SELECT takes. */
function selectedIn(text: string): List[] {
  const lists: List[] = []
  let from: number | null = null
  let [line, seen] = [0, 0]
  for (const { 0: word, index } of text.matchAll(CLAUSE)) {
    if (/^select/i.test(word)) from = index + word.length
    else if (from !== null) {
      for (; seen < from; seen++) if (text[seen] === '\n') line++
      const columns = text.slice(from, index)
      const items = itemsAt(columns, piecesOf(columns, COMMA), line)
      lists.push({ lead: 'select', items, standsForMany: ANY_NUMBER })
      from = null
    }
  }
  return lists
}

/** What is asked of each column of a table, by its name. */
const constraintsIn = (lines: readonly string[]): List[] =>
  lines.flatMap((text, line): List[] => {
    const lead = text.length > MAX_LINE ? undefined : COLUMN.exec(text)?.[1]
    const items = (text.match(CONSTRAINT) ?? []).map(word => ({ text: word.toLowerCase(), key: null, line }))
    return lead === undefined || items.length === 0 ? [] : [{ lead: `column ${lead}`, items, standsForMany: NOTHING }]
  })

/** The columns that queries take, and what tables ask of theirs. */
export const sqlLists = ({ text, lines }: Side): List[] => [...selectedIn(text), ...constraintsIn(lines)]
