import { MAX_NAME_LINE, type FileName } from './file-name.ts'
import { isPathLike } from './path-like.ts'
import { fileOfPlace } from './place-in-file.ts'
import { stripQuotes, unbracketed } from './plain-name.ts'

const KEYED = new RegExp(
  '(?:^|[\\s{,:])(?:file_?name|file_?path|file|path|title|name|src)\\s*[=:]\\s*' +
    '(?:"([^"]*)"|\'([^\']*)\'|([^\\s"\'{},]+))',
  'i',
)
const named = (path: string, isName: boolean): FileName | null => (isName ? { path, named: 'line' } : null)

/** The value of a key that names a file: `title="a.js"`; undefined without one. */
function keyedName(info: string): string | undefined {
  const [, ...values] = KEYED.exec(info) ?? []
  return values.find(value => value !== undefined)
}

/** The part behind the colon of `ts:src/a.ts`; '' for any other token. */
function nameAfterColon(token: string): string {
  const colon = token.indexOf(':')
  return colon <= 0 || /^[A-Za-z]:\\/.test(token) ? '' : token.slice(colon + 1)
}

/** The name beside a language: behind it, or before it. */
function nameOfTwo(first: string, second: string): FileName | null {
  const isBefore = /[./]/.test(first) && isPathLike(first, 'strict') && /^[a-z+#]+$/i.test(second)
  return isBefore ? { path: first, named: 'line' } : named(second, isPathLike(second, 'strict'))
}

/**
 * Returns the name that a fence's info string gives: `python src/a.py`, `js title="a.js"`, `ts:src/a.ts`, `src/a.py`.
 */
export function nameFromInfo(info: string): FileName | null {
  if (info === '' || info.length > MAX_NAME_LINE) return null
  const place = fileOfPlace(info.split(/\s+/).at(-1) ?? '')
  if (place !== null) return { path: place, named: 'part', isOfLines: true }
  const value = keyedName(info)
  if (value !== undefined) return named(value, isPathLike(value, 'lenient') || /\.\w+$/.test(value))
  const tokens = info
    .split(/\s+/)
    .filter(token => token !== '//' && token !== '#')
    .map(token => unbracketed(stripQuotes(token)))
  const [first = '', second = ''] = tokens
  const behind = nameAfterColon(first)
  if (isPathLike(behind, 'strict')) return { path: behind, named: 'line' }
  if (tokens.length === 1) return named(first, isPathLike(first, 'strict') && /[./]/.test(first))
  return tokens.length === 2 ? nameOfTwo(first, second) : null
}
