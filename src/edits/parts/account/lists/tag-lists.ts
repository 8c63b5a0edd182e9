import { quoteEnd } from '../items.ts'
import type { List, ListItem } from './list.ts'

/** What begins a tag, and no comparison. */
const TAG = /(?<![\p{L}\p{N}_$)\]])<([A-Za-z](?:[\w.:-]*\w)?)(?=[\s/>])/gu
const NAME = /[^\s=/>{"']+/y
/** How frameworks spell that an attribute is bound: `:class`, `v-bind:class`, `@click.prevent`, `[(value)]`. */
const BINDING = /^(?:v-bind:|v-on:|[:@#*[(]{1,2})|[\])]{1,2}$|(?<=\w)\.[\w.]{1,80}$/g
/** `{...props}`, `v-bind="props"`, and what a template puts there. */
const SPREAD = /^\{?\.{3}|^v-bind=|^\{\{|^<[?%]/
/** Statements of a template, and what says no more than is so without it. */
const NO_ATTRIBUTE = /^\{%|^<[?%](?!=)|^type="?text\/(?:javascript|css)"?$/
const SIGN = /\s{0,20}=\s{0,20}/y
const QUOTES = '"\'`'
const MAX_TAG = 4000
/** Characters that are looked at again because no tag ended among them, at most, for each of the text. */
const MAX_AGAIN = 4

/** The place behind the bracket that closes the one which opens here. */
function bracketEnd(text: string, from: number, [open, close]: readonly [string, string]): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (QUOTES.includes(text[at] ?? '')) at = Math.max(at, quoteEnd(text, at))
    else if (text[at] === open) depth++
    else if (text[at] === close && --depth === 0) return at + 1
  }
  return text.length
}

/** The end of a value that begins here: of quotes, of brackets, or before a blank. */
function valueEnd(text: string, from: number): number {
  const char = text[from] ?? ''
  if (QUOTES.includes(char)) {
    const end = quoteEnd(text, from)
    return end < 0 ? text.length : end + 1
  }
  if (char === '{') return bracketEnd(text, from, ['{', '}'])
  if (char === '<') return bracketEnd(text, from, ['<', '>'])
  let at = from
  while (at < text.length && !/[\s>]/.test(text[at] ?? '')) at++
  return at
}

/** An attribute that begins here: its name, which may be none, and its end. */
function attributeAt(text: string, at: number): { name: string; end: number } {
  NAME.lastIndex = at
  const name = NAME.exec(text)?.[0] ?? ''
  if (name === '') return { name, end: Math.max(at + 1, valueEnd(text, at)) }
  SIGN.lastIndex = at + name.length
  const sign = SIGN.exec(text)?.[0]
  const end = at + name.length + (sign?.length ?? 0)
  return { name, end: sign === undefined ? end : Math.max(at + 1, valueEnd(text, end)) }
}

const plain = (text: string): string => text.replaceAll(/["'`]/g, '"').replaceAll(/\s+/g, ' ')

/** The attributes of a tag; null where it does not end. */
function attributesOf(text: string, line: number): ListItem[] | null {
  const items: ListItem[] = []
  let own = line
  for (let at = 0; at < text.length;) {
    const char = text[at] ?? ''
    if (char === '>') return items
    if (/[\s/]/.test(char)) {
      if (char === '\n') own++
      at++
      continue
    }
    const { name, end } = attributeAt(text, at)
    const whole = text.slice(at, end)
    const attribute = plain(whole)
    const key = name === '' ? null : name.toLowerCase().replace(BINDING, '')
    if (!NO_ATTRIBUTE.test(attribute)) items.push({ text: attribute, key, line: own })
    own += whole.match(/\n/g)?.length ?? 0
    at = end
  }
  return null
}

/** The attributes of each tag of a page or of a component, under the name of its element. */
export function tagLists(text: string): List[] {
  const lists: List[] = []
  let [line, seen, again] = [0, 0, 0]
  for (const { 0: head, 1: element = '', index } of text.matchAll(TAG)) {
    for (; seen < index; seen++) if (text[seen] === '\n') line++
    const from = index + head.length
    const items = again > text.length * MAX_AGAIN ? null : attributesOf(text.slice(from, from + MAX_TAG), line)
    if (items === null) again += MAX_TAG
    else lists.push({ lead: element, items, standsForMany: SPREAD })
  }
  return lists
}
