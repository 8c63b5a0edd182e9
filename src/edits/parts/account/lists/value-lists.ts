import { indentOf } from '../../../text/indentation.ts'
import type { Side } from '../../side.ts'
import { pathOfUnit, type Unit } from '../../units/unit.ts'
import { ANY_NUMBER, itemsAt, piecesOf, type List } from './list.ts'

const COMMA = /,/y
const BLANKS = /\s+/y
const COLON = /:/y
/** Words of a sentence, and signs of a command. */
const PROSE =
  /(?:^|\s)(?:a|an|the|of|for|and|or|in|to|is|are|with|on|by|not|if|this|from|der|die|das|und)(?=\s|$)|[&|;<>!?]/i
/** What ends in a value that has brackets of its own, or none at all. */
const NO_LIST = /^(?:[[{(]|"""|'''|[|>])/
/** `/usr/bin:/bin:$PATH` */
const PATHS = /^[^\s:]+(?::[^\s:]+)+$/
const FIRST_SIGN = /^[^=:]*(?::{0,2}=|:)/
const COMMENT_LINE = /^[ \t]*[#;!].*$/gm
/** Parts of a stylesheet between which declarations stand. */
const STYLE_MARK = /[{};]/g
const STYLE_COMMENT = /\/\*[^]*?(?:\*\/|$)|(?<![:\w])\/\/[^\n]*/g
const DECLARATION = /^\s*([\w$@-]+)\s*:(?!:)/
/** What gives words to a variable of a shell. */
const ASSIGNMENT = /^[ \t]*(?:(?:export|local|readonly|declare|typeset)[ \t]+(?:-\w+[ \t]+)*)?(\w+)\+?=(["'(])/gm
/** Words that a loop of a shell goes over. */
const LOOP = /^\s*for\s+(\w+)\s+in\s([^;`]*)(?:;|$)/
const MAX_CHARS = 20_000

/** A value, without the sign before it. */
interface Value {
  lead: string
  text: string
  line: number
}

const withoutQuotes = (text: string): string => {
  const quote = text.trim()[0] ?? ''
  const isQuoted = '"\''.includes(quote) && quote !== '' && text.trimEnd().endsWith(quote)
  return isQuoted ? text.replace(quote, ' ').replace(/["']\s*$/, '') : text
}

/** The words that a value lists, be it with commas, with colons or with blanks; null where it is no such list. */
function listOf({ lead, text, line }: Value): List | null {
  const value = text.trim()
  if (value === '' || NO_LIST.test(value)) return null
  const plain = withoutQuotes(text).replaceAll('\\\n', ' \n')
  const isOfPaths = /[/$]/.test(plain) && PATHS.test(plain.trim())
  const commas = plain.includes(',') ? COMMA : BLANKS
  const separator = isOfPaths ? COLON : commas
  const pieces = piecesOf(plain, separator)
  if (separator === COMMA ? pieces.some(piece => /\S\s+\S/.test(piece.text)) : PROSE.test(plain)) return null
  const own = pieces.filter(piece => separator !== BLANKS || !piece.text.startsWith('-'))
  return { lead, items: itemsAt(plain, own, line), standsForMany: ANY_NUMBER }
}

/** The lists of values, each of them under its lead. */
const listsOf = (values: readonly Value[]): List[] => values.map(listOf).filter(list => list !== null)

/** The last line of a value that goes on behind a backslash, or where it is indented. */
function lastLine({ lines }: Side, { start, last }: Unit, isIndented: boolean): number {
  const depth = indentOf(lines[start] ?? '').length
  let end = start
  const goesOn = (at: number): boolean =>
    lines[at]?.endsWith('\\') === true || (isIndented && indentOf(lines[at + 1] ?? '').length > depth)
  while (end < last && goesOn(end)) end++
  return end
}

/** The lists in values of settings, of variables and of targets, by the keys of these. */
export function keyLists(side: Side, { isIndented }: { isIndented: boolean }): List[] {
  const { lines, units } = side
  const values = units.flatMap((unit, index): Value[] => {
    const text = lines.slice(unit.start, lastLine(side, unit, isIndented) + 1).join('\n')
    const head = FIRST_SIGN.exec(text.slice(0, MAX_CHARS))?.[0]
    if (head === undefined || text.trimStart().startsWith('[')) return []
    const value = text.slice(head.length).replace(COMMENT_LINE, comment => ' '.repeat(comment.length))
    return [{ lead: pathOfUnit(units, index).join('\0'), text: value, line: unit.start }]
  })
  return listsOf(values)
}

/** The words between blanks behind the instructions of a Dockerfile that take any number of them. */
export const dockerLists = ({ lines }: Side): List[] =>
  listsOf(
    lines.flatMap((line, at): Value[] => {
      const [head, word = ''] = /^\s*(ENV|LABEL|EXPOSE|VOLUME)\s+(?=\S)/i.exec(line) ?? []
      return head === undefined ? [] : [{ lead: word.toUpperCase(), text: line.slice(head.length), line: at }]
    }),
  )

/** The words in quotes and brackets that a shell gives to its variables. */
function assignedIn(text: string): Value[] {
  const values: Value[] = []
  let [line, seen, end] = [0, 0, 0]
  for (const { 0: head, 1: lead = '', 2: quote = '', index } of text.matchAll(ASSIGNMENT)) {
    if (index < end) continue // in the value before
    const from = index + head.length
    end = text.indexOf(quote === '(' ? ')' : quote, from)
    if (end < 0) break
    for (; seen < from; seen++) if (text[seen] === '\n') line++
    const value = text.slice(from, end)
    if (end - from >= MAX_CHARS || /\$\(|`/.test(value)) continue
    values.push({ lead, text: value.replace(COMMENT_LINE, comment => ' '.repeat(comment.length)), line })
  }
  return values
}

/** The words that the loops of a shell go over. */
const loopedIn = (lines: readonly string[]): Value[] =>
  lines.flatMap((own, line): Value[] => {
    const [, lead = '', text = ''] = LOOP.exec(own) ?? []
    return lead === '' ? [] : [{ lead: `for ${lead}`, text, line }]
  })

/** The words that a shell gives to its variables, and those that its loops go over. */
export const shellLists = ({ text, lines }: Side): List[] => listsOf([...assignedIn(text), ...loopedIn(lines)])

/** What stands between the commas of each declaration of a stylesheet, under its selector and property. */
export function styleLists({ text }: Side): List[] {
  const plain = text.replace(STYLE_COMMENT, comment => comment.replace(/[^\n]/g, ' '))
  const lists: List[] = []
  const open: string[] = []
  let [from, line] = [0, 0]
  for (const { 0: mark, index: at } of plain.matchAll(STYLE_MARK)) {
    const part = plain.slice(from, at)
    if (mark === '{') open.push(part.trim().replace(/\s+/g, ' '))
    else {
      const [head, property] = DECLARATION.exec(part) ?? []
      if (head !== undefined) {
        const value = head.replace(/[^\n]/g, ' ') + part.slice(head.length)
        const items = itemsAt(value, piecesOf(value, COMMA), line)
        lists.push({ lead: [...open, property].join('\0'), items, standsForMany: ANY_NUMBER })
      }
      if (mark === '}') open.pop()
    }
    line += part.match(/\n/g)?.length ?? 0
    from = at + 1
  }
  return lists
}
