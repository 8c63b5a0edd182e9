import type { RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'

const NUMBERED = /^#\d{1,6} {1,2}(\S.*)$/
const CALL_PLACE = /\((\d{1,9})\): /
const CUT_PLACE = /^(\S+)\((\d{1,9})\)$/
const CALLED_AT = /^(.+) called at \[(.+):(\d{1,9})\]$/
const IN_PLACE = /^([\w\\{}:@]{1,400}) in (\S.{0,500}\.(?:php|phtml)):(\d{1,9})$/ // a client of an error tracker
const INTERNAL = '[internal function]'
const EVALUATED = /^(.+)\((\d{1,9})\) : (?:eval\(\)'d code|runtime-created function)/
const REPORTED_END = / in \S+ on line \d{1,9}$/
const LOG_MARK = /^(?:NOTICE: )?(?:PHP message: )?(?:PHP (?=Stack| {1,4}\d{1,4}\. |#|Next ))?/
const REFERER = /, referer: \S{1,2000}$/ // a web server's
const TAGS = /<\/?b>|<br ?\/?>/g
const TABLE_ROW = /^(?:\d{1,6}\.\d{1,8} {1,20}\d{1,15} {1,20})?\d{1,6}\. (.+) (\S+|[A-Za-z]:\\.+):(\d{1,9})$/

/** A row says which function its line called, not the one it stands in; `isMain` is the row that ends a trace. */
export interface PhpRow {
  frame: RawFrame
  isMain: boolean
}

/** A line without what the server's log and HTML output put around it. */
export const withoutPhpMark = (line: string): string =>
  (line.includes('<b') ? line.replace(TAGS, '') : line).trim().replace(LOG_MARK, '').replace(REFERER, '').trim()

/** `Foo->bar('a', 1)` → `Foo->bar`. Closures carry a place with parentheses in their name. */
export function calledName(call: string): string | null {
  const closure = call.indexOf('{closure:')
  const open = call.indexOf('(', closure === -1 ? 0 : call.indexOf('}', closure))
  return (open === -1 ? call : call.slice(0, open)).trim() || null
}

function internalFrame(raw: string): RawFrame | null {
  if (!raw.startsWith(INTERNAL)) return null
  const called = raw.replace(REPORTED_END, '')
  return newFrame(called, { function: calledName(called.slice(INTERNAL.length).replace(/^: /, '')) })
}

/** A file and its line; code that `eval` ran stands where it was evaluated, since that is a file that exists. */
export function phpPlace(file = '', line: string | undefined): Pick<RawFrame, 'file' | 'line'> {
  const [, evaluatedIn = file, evaluatedAt = line] = EVALUATED.exec(file) ?? []
  return { file: evaluatedIn, line: Number(evaluatedAt) }
}

const isFile = (text: string): boolean => /[/\\]/.test(text) || /\.(?:php\d?|phtml|inc|phar|module)$/.test(text)

function calledFrame(raw: string): RawFrame | null {
  const place = CALL_PLACE.exec(raw)
  if (place !== null) {
    const file = raw.slice(0, place.index)
    return isFile(file)
      ? newFrame(raw, {
          ...phpPlace(file, place[1]),
          function: calledName(raw.slice(place.index + place[0].length).replace(REPORTED_END, '')),
        })
      : null
  }
  const called = CALLED_AT.exec(raw)
  if (called !== null) {
    return newFrame(raw, { ...phpPlace(called[2] ?? '', called[3]), function: calledName(called[1] ?? '') })
  }
  const inside = IN_PLACE.exec(raw)
  if (inside !== null) return newFrame(raw, { ...phpPlace(inside[2] ?? '', inside[3]), function: inside[1] })
  const cut = CUT_PLACE.exec(raw)
  return cut?.[1] !== undefined && isFile(cut[1]) ? newFrame(raw, phpPlace(cut[1], cut[2])) : null
}

/**
 * `#0 /f.php(12): Foo->bar()`, `#1 [internal function]: f()`, `#2 {main}`; null for rows that other runtimes number so.
 */
export function phpRow(line: string): PhpRow | null {
  if (!line.includes('#')) return null
  const body = NUMBERED.exec(withoutPhpMark(line))?.[1]
  if (body === undefined) return null
  const raw = body.replace(/\\\\/g, '\\')
  if (raw.startsWith('{main}')) return { frame: newFrame(raw, {}), isMain: true }
  const frame = internalFrame(raw) ?? calledFrame(raw)
  return frame === null ? null : { frame, isMain: false }
}

/** A row of Xdebug's table, which runs from the outside in: `0.0002  390000  2. foo($a = 1) /f.php:9`. */
export function tableRow(line: string): PhpRow | null {
  if (!line.includes('. ')) return null
  const raw = withoutPhpMark(line)
  const match = TABLE_ROW.exec(raw)
  if (match === null) return null
  const called = calledName(match[1] ?? '')
  return {
    frame: newFrame(raw.slice(raw.indexOf('. ') + 2), { ...phpPlace(match[2] ?? '', match[3]), function: called }),
    isMain: called === '{main}',
  }
}
