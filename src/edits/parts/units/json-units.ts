import type { FileUnits, Unit } from './unit.ts'

/** Keys whose value names an object in a list. */
const NAMING_KEYS = ['id', 'name', 'key', 'label', 'title', 'path', 'url', 'type']
const MAX_UNITS = 20_000
const MAX_DEPTH = 60

/** A JSON text without comments and without commas before a closing bracket, as configurations have them. */
function plainJson(text: string): string {
  return text
    .replace(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g, token => (token.startsWith('"') ? token : ' '))
    .replace(/"(?:[^"\\\n]|\\.)*"?|,(?=\s*[}\]])/g, token => (token.startsWith('"') ? token : ''))
}

/** The value of a JSON text, with comments or without; undefined where it is none. */
function jsonValue(text: string): unknown {
  try {
    return JSON.parse(plainJson(text))
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** What an element of a list is called: by a key that names it, else by its value or its number. */
function elementName(element: unknown, index: number): string {
  if (!isObject(element)) return JSON.stringify(element) ?? ''
  const naming = NAMING_KEYS.map(key => (element as Record<string, unknown>)[key]).find(
    value => typeof value === 'string' || typeof value === 'number',
  )
  return naming === undefined ? `[${index}]` : String(naming)
}

const membersOf = (value: object): Array<[string, unknown]> =>
  Array.isArray(value) ? value.map((element, i) => [elementName(element, i), element]) : Object.entries(value)

/** The keys of a JSON text, nested; lists by the names of their elements. */
export function jsonUnits(text: string): FileUnits {
  const value = jsonValue(text)
  if (value === undefined) return { units: [], hasLines: false, broken: 'it is no JSON', imports: [], account: 'none' }
  const units: Unit[] = []
  const add = (own: unknown, parent: number | null, depth: number): void => {
    if (!isObject(own) || depth > MAX_DEPTH) return
    for (const [name, member] of membersOf(own)) {
      if (units.length >= MAX_UNITS) return
      const kind = isObject(member) ? 'container' : 'leaf'
      add(member, units.push({ name, parent, start: 0, last: 0, lead: 0, kind }) - 1, depth + 1)
    }
  }
  add(value, null, 0)
  return { units, hasLines: false, broken: null, imports: [], account: 'none' }
}
