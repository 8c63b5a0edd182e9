import { itemOf, quoteEnd, type Item } from '../items.ts'

/** An item, and the line of the file in which it begins. */
export interface ListItem extends Item {
  line: number
}

/** Things that stand side by side without brackets around them: what a value lists, attributes, links of a chain. */
export interface List {
  /** What it is a list of: a key, an element. Only lists of one lead are compared. */
  lead: string
  items: ListItem[]
  /** An item that may stand for any number of others. */
  standsForMany: RegExp
}

/** A piece of a text, and where it begins. */
export interface Piece {
  text: string
  at: number
}

/** Variables, commands and patterns: nobody sees what they hold. */
export const ANY_NUMBER = /^["']?\$[({]?[\w.@[\]-]+[)}]?["']?$|\$\(|\*|\.{3}|\bvar\(|\{\{/
/** A longer text is not looked into. */
const MAX_CHARS = 20_000

/**
 * The pieces of a text between separators that stand in no brackets and quotes.
 *
 * @param separator - With the flag `y`.
 */
export function piecesOf(text: string, separator: RegExp): Piece[] {
  if (text.length > MAX_CHARS) return []
  const pieces: Piece[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if ('"\'`'.includes(char)) at = Math.max(at, quoteEnd(text, at))
    else if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth = Math.max(0, depth - 1)
    else if (depth === 0) {
      separator.lastIndex = at
      const found = separator.exec(text)?.[0] ?? ''
      if (found === '') continue
      pieces.push({ text: text.slice(from, at), at: from })
      from = at + found.length
      at = from - 1
    }
  }
  pieces.push({ text: text.slice(from), at: from })
  return pieces.filter(piece => piece.text.trim() !== '')
}

/** Pieces of a text that begins at a line as items, each with its own line. */
export function itemsAt(text: string, pieces: readonly Piece[], firstLine: number): ListItem[] {
  let [line, seen] = [firstLine, 0]
  return pieces.map(piece => {
    const begin = piece.at + piece.text.length - piece.text.trimStart().length
    for (; seen < begin; seen++) if (text[seen] === '\n') line++
    return { ...itemOf(piece.text), line }
  })
}
