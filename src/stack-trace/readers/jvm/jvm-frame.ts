import type { RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'

const PACKAGING = / ?~?\[[^[\]]{1,300}\]$/
const SOURCE_NAME = /\.(?:java|kt|kts|scala|sc|groovy|gvy|clj|cljc|cljs|jsp|jspx|aj|xtend|ceylon|rb|vm|g|jj)$/
const NO_SOURCE = new Set([
  'Native Method',
  'NO_SOURCE_FILE',
  'Unknown Source',
  'SourceFile',
  'PG',
  '<generated>',
  '<Unknown>',
  '',
])
const MODULE = /^[\w$.+-]+(?:@[\w.+-]+)?\//
const QUALIFIED = /^(?!\.)(?:[^\s()[\]"';,/]*\/)*[^\s()[\]"';,/.]*\.[^()[\]"';,/]+$/
const LINE_DIGITS = /^\d{1,9}$/
const NEGATIVE = /^-\d{1,9}$/
const HOLDS_SPACE = /[\s()]/
const PLAIN_NAME = /^[\w$.-]+$/
const MAPPED = 'r8-map-id-' // what R8 writes in place of the file, for the mapping that belongs to the build
// Maven, Clojure and Android's own runtime put a space before the brackets, as V8 does: only the file tells them apart.
const SPACED =
  /^(\S.{0,1500}?) \(((?:[\w$-][\w$.-]{0,200}\.(?:java|kts?|scala|groovy|clj|cljc)(?::-?\d{1,9})?|NO_SOURCE_FILE:\d{1,9}|Native Method|Unknown Source))\)$/
const SIGNATURE = /^(?:(?:\w[\w$.[\]]{0,300} )?)([\w$.<>-]{1,500})\(.*\)$/
const CALLED = /^[\w$.<>*+!?-]{1,400}[./][\w$.<>*+!?-]{1,200}$/

/** Frames that coroutine libraries put between the real ones. */
const COROUTINE_MARK =
  /^(?:at )?(?:_COROUTINE\._(?:BOUNDARY|CREATION|ARTIFICIAL)\b.*|[\b\s]*\((?:Coroutine boundary|Current coroutine stacktrace|Coroutine creation stacktrace)\).*)$/

/** Whether a trimmed line is a mark that stands between frames and is none. */
export const isCoroutineMark = (trimmed: string): boolean => COROUTINE_MARK.test(trimmed)

/** The name of a source file without a line; null when no JVM prints that. */
function unnumberedSource(name: string): Pick<RawFrame, 'file' | 'line'> | null {
  if (HOLDS_SPACE.test(name)) return null
  if (name.startsWith(MAPPED)) return { file: null, line: null }
  return SOURCE_NAME.test(name) ? { file: name, line: null } : null
}

/** The name of a source file and its line, in which a build may have put something else for the name. */
function numberedSource(name: string, digits: string): Pick<RawFrame, 'file' | 'line'> | null {
  // its number is no line, but an offset in the code
  if (HOLDS_SPACE.test(name)) return name === 'Unknown Source' ? { file: null, line: null } : null
  if (NEGATIVE.test(digits)) return { file: name, line: null }
  if (!LINE_DIGITS.test(digits)) return null
  const line = Number(digits)
  if (NO_SOURCE.has(name) || name.startsWith(MAPPED)) return { file: null, line }
  const mayBeSource = PLAIN_NAME.test(name) && !name.includes('.js')
  return mayBeSource || SOURCE_NAME.test(name) ? { file: name, line } : null
}

/** What stands in the brackets; null when no JVM prints that. */
function sourceOf(text: string): Pick<RawFrame, 'file' | 'line'> | null {
  const place = text.replace(MODULE, '') // a thread dump names the module here
  if (place === '') return null
  if (NO_SOURCE.has(place)) return { file: null, line: null }
  const colon = place.lastIndexOf(':')
  return colon === -1 ? unnumberedSource(place) : numberedSource(place.slice(0, colon), place.slice(colon + 1))
}

/** `pkg.Class.method (File.java:12)` or `void pkg.Class.method(int) (File.java:12)`. */
function spacedFrame(raw: string, body: string): RawFrame | null {
  const match = SPACED.exec(body)
  const printed = match?.[1] ?? ''
  const name = SIGNATURE.exec(printed)?.[1] ?? printed
  const place = sourceOf(match?.[2] ?? '')
  return place === null || !CALLED.test(name) ? null : newFrame(raw, { function: name, ...place })
}

/** `loader/module@version/package.Class.method` → `package.Class.method`; a hidden class has a `/` of its own. */
function withoutModule(name: string): string {
  const bare = name.startsWith('app//') ? name.slice(5) : name
  const plain = bare
    .replace(/\$\$Lambda(?:\$\d+)?\/(?:0x)?[0-9a-f]+/i, '$$$$Lambda')
    .replace(MODULE, '')
    .replace(MODULE, '')
  return plain.replace(/^\//, '').replaceAll('/', '.')
}

/**
 * One `at package.Class.method(File.java:12)` line of a JVM, or null when it is something else. The function keeps
 * class and package as printed, without module and class loader: the folder of the file follows from it.
 */
export function jvmFrame(line: string): RawFrame | null {
  const raw = line.trim()
  if (!raw.startsWith('at ')) return null
  const body = raw.endsWith(']') ? raw.replace(PACKAGING, '') : raw
  const open = body.endsWith(')') ? body.lastIndexOf('(') : -1
  if (open === -1) return null
  if (body[open - 1] === ' ') return spacedFrame(raw, body.slice(3))
  const name = withoutModule(body.slice(3, open))
  const place = sourceOf(body.slice(open + 1, -1))
  return place === null || !QUALIFIED.test(name) ? null : newFrame(raw, { function: name, ...place })
}

/**
 * A line of Clojure, which says `at` once, or of a crash reporter, which never does: `user$pay.invoke (cart.clj:12)`;
 * null for another line.
 */
export function bareFrame(line: string): RawFrame | null {
  return line.includes(' (') ? spacedFrame(line.trim(), line.trim()) : null
}

const LANGUAGES = new Map([
  ['kt', 'kotlin'],
  ['kts', 'kotlin'],
  ['scala', 'scala'],
  ['sc', 'scala'],
  ['groovy', 'groovy'],
  ['clj', 'clojure'],
  ['cljc', 'clojure'],
])

/**
 * The language of a stack: that of its innermost file outside the runtime's own libraries; undefined where that is Java
 * or unknown.
 */
export function jvmLanguage(innermostFirst: readonly RawFrame[]): string | undefined {
  const own = innermostFirst.find(
    ({ file, function: name }) =>
      file !== null && !/^(?:java|javax|jdk|sun|kotlin|scala|clojure|groovy)\./.test(name ?? ''),
  )
  const file = own?.file ?? ''
  const [, ending = ''] = /\.(\w+)$/.exec(file) ?? []
  return LANGUAGES.get(ending)
}
