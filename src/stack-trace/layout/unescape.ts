import { holdsRow, startsRow } from '../trace-rows.ts'

const ENTITIES = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['amp', '&'],
  ['nbsp', ' '],
  ['#39', "'"],
  ['#x27', "'"],
  ['#34', '"'],
  ['#x2F', '/'],
  ['#47', '/'],
  ['#10', '\n'],
  ['#xA', '\n'],
  ['#13', ''],
  ['#96', '`'],
  ['#x60', '`'],
  ['#61', '='],
  ['#x3D', '='],
])
const MAX_ENTITY_CHARS = 10
const PIECE_CHARS = 8192
const ENTITY = /&(#?\w{2,6});/g
const BREAK = /<br ?\/?>\n?/gi
const TAG =
  /<\/?(?:p|pre|code|div|span|li|ul|ol|b|i|tt|a|td|tr|table|summary|details|blockquote)(?: [^<>\n]{0,300})?>/gi

const SIMPLE = new Map([
  ['n', '\n'],
  ['r', ''],
  ['t', '\t'],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['/', '/'],
  ['b', ''],
  ['f', ''],
  ['e', '\u001B'],
  ['0', ''],
])
const ESCAPE = /\\(?:u\{?([0-9a-fA-F]{4})\}?|x([0-9a-fA-F]{2})|033|(.))/g
const SYSLOG_CONTROL = /#0(11|12|33|15)/g
const PERCENT = /%[0-9A-Fa-f]{2}/
const TEAMCITY = /\|(?:0x([0-9a-fA-F]{4})|([nr'|[\]]))/g
const MAX_LEVELS = 3
const MAX_COUNTED = 10_000
// Failures that may have nothing but a message behind their first line.
const HEAD = /\bpanicked at |Traceback \(most recent|goroutine \d{1,9} \[/
const MAX_FIRST_LINE = 4096
// `D:\\shop\\name.lua`: in a literal its backslashes would be doubled; a path that has its ending is over.
const OPEN_PATH = /(?<!\w)[A-Za-z]:(?:\\(?!\\)[^\s\\"'<>|:]{1,100}){0,20}$(?<!\.\w{1,6})/
const MAX_PATH = 400

/** In pieces, since the engine lists all matches before it replaces them: a text may be nothing but entities. */
function withoutEntities(text: string): string {
  const pieces: string[] = []
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = Math.min(text.length, at + PIECE_CHARS)
    const open = text.lastIndexOf('&', end - 1)
    if (end < text.length && open > end - MAX_ENTITY_CHARS) end = open
    pieces.push(text.slice(at, end).replace(ENTITY, (all, name: string) => ENTITIES.get(name) ?? all))
  }
  return pieces.join('')
}

function isHtml(text: string): boolean {
  if (text.includes('&quot;') || text.includes('&lt;') || text.includes('&gt;') || text.includes('&#')) {
    const bare = text.replace(BREAK, '').replace(TAG, '')
    // A program that prints an entity prints its other signs as they are.
    if (!bare.includes('"') && !/<\w/.test(bare)) return true
  }
  const breaks = text.search(/<br ?\/?>/i)
  return (
    breaks !== -1 &&
    text
      .slice(breaks, breaks + 20_000)
      .split(/<br ?\/?>/i)
      .slice(1)
      .some(piece => startsRow(piece.replaceAll('&nbsp;', ' ')))
  )
}

/** A text that was put into a web page: entities and tags become what they stand for. Anything else stays as it is. */
export function fromHtml(text: string): string {
  if (!isHtml(text)) return text
  return withoutEntities(text.replace(BREAK, '\n').replace(TAG, ''))
}

/** What an escape sequence stands for; one that no language knows stays as it is. */
function escapedSign(all: string, unicode?: string, byte?: string, sign?: string): string {
  const code = unicode ?? byte
  if (code !== undefined) return String.fromCharCode(parseInt(code, 16))
  if (sign === undefined) return '\u001B'
  return SIMPLE.get(sign) ?? all
}

/** In pieces, since the engine lists all matches before it replaces them. */
function unescaped(literal: string): string {
  const pieces: string[] = []
  for (let at = 0, end = 0; at < literal.length; at = end) {
    end = literal.indexOf('\\n', at + PIECE_CHARS)
    while (end !== -1 && literal.charAt(end - 1) === '\\') end = literal.indexOf('\\n', end + 1)
    if (end === -1) end = literal.length
    pieces.push(literal.slice(at, end).replace(ESCAPE, escapedSign))
  }
  return pieces.join('')
}

/** The quote that opened the literal around a position; -1 when there is none near. */
function opening(line: string, before: number, quote: number): number {
  for (let at = before - 1; at >= 0 && at > before - MAX_FIRST_LINE; at--) {
    const code = line.charCodeAt(at)
    if (code === quote && /^$|[=:\s(,[{bu]/.test(line.charAt(at - 1))) return at
  }
  return -1
}

function closing(line: string, quote: string, from: number): number {
  for (let at = line.indexOf(quote, from); at !== -1; at = line.indexOf(quote, at + 1)) {
    let slashes = 0
    while (line.charAt(at - 1 - slashes) === '\\' && slashes < 16) slashes++
    if (slashes % 2 === 0) return at
  }
  return line.length
}

/** A string that was written as a literal, however often, and the text around its quotes on lines of its own. */
function withoutBackslashes(line: string): string {
  const lineBreak = line.indexOf('\\n')
  const double = opening(line, lineBreak, 34)
  const open = double === -1 ? opening(line, lineBreak, 39) : double
  const close = open === -1 ? line.length : closing(line, line.charAt(open), lineBreak)
  let literal = line.slice(open + 1, close)
  for (let level = 0; level < MAX_LEVELS && !literal.includes('\n'); level++) literal = unescaped(literal)
  return [line.slice(0, Math.max(0, open)), literal, line.slice(close + 1)]
    .filter(part => part.trim() !== '')
    .join('\n\n')
}

function decodedPercents(part: string): string {
  return Buffer.from(part.replaceAll('%', ''), 'hex').toString('utf8').replaceAll('\r', '')
}

function withoutPercents(line: string): string {
  return line
    .split(/((?:%[0-9A-Fa-f]{2})+)/)
    .map(part => (PERCENT.test(part) ? decodedPercents(part) : part))
    .join('')
}

/** The control characters that a syslog daemon writes as octal numbers; others go. */
const SYSLOG_CONTROLS = new Map([
  ['12', '\n'],
  ['11', '\t'],
])

/** The characters that TeamCity escapes by a letter; any other escaped one stands for itself. */
const TEAMCITY_SIGNS = new Map([
  ['n', '\n'],
  ['r', ''],
])

function withoutTeamCity(line: string): string {
  return line.replace(TEAMCITY, (_, code: string | undefined, sign = '') => {
    if (code !== undefined) return String.fromCharCode(parseInt(code, 16))
    return TEAMCITY_SIGNS.get(sign) ?? sign
  })
}

const ESCAPED_BREAKS: ReadonlyArray<readonly [mark: string, unescape: (line: string) => string]> = [
  ['\\n', withoutBackslashes],
  ['#012', line => line.replace(SYSLOG_CONTROL, (_, code: string) => SYSLOG_CONTROLS.get(code) ?? '')],
  ['%0A', withoutPercents],
  ['|n', withoutTeamCity],
  ['\u23CE', line => line.replaceAll('\u23CE', '\n')],
  ['\u21B5', line => line.replaceAll('\u21B5', '\n')],
]

function rowFollows(line: string, mark: string): boolean {
  if (!line.includes('\n') && HEAD.test(line.slice(0, Math.min(line.indexOf(mark), MAX_FIRST_LINE)))) return true
  for (let at = line.indexOf(mark); at !== -1; at = line.indexOf(mark, at + mark.length)) {
    const first = at + mark.length
    const end = line.indexOf(mark, first)
    const [next = ''] = line.slice(first, Math.min(end === -1 ? first + 500 : end, first + 500)).split('\n', 1)
    if (next === '') continue
    const row = (mark === '%0A' ? withoutPercents(next) : next)
      .replace(/^(?:\\{1,7}t|%09|%20|#011|\+| )+/, ' ')
      .replace(/(?<!\\)\\+"/g, '"')
      .replaceAll('%20', ' ')
      .replaceAll('%22', '"')
    if (holdsRow(row) && !(mark === '\\n' && OPEN_PATH.test(line.slice(Math.max(0, at - MAX_PATH), at)))) return true
  }
  return false
}

/**
 * One line of a log that holds a whole trace with its line breaks written out (`\n`, `\\n`, `#012`, `%0A`, `|n`), as
 * lines; null when it holds none. Only breaks that a row of a trace follows count, so that a path like `C:\new` stays.
 */
export function splitEscaped(line: string): string[] | null {
  const found = ESCAPED_BREAKS.filter(([mark]) => line.includes(mark) && rowFollows(line, mark))
  if (found.length === 0) return null
  // A message may hold the break of another kind.
  const [best] = found
    .map(([mark, unescape]) => ({ unescape, count: line.split(mark, MAX_COUNTED).length }))
    .toSorted((a, b) => b.count - a.count)
  return best === undefined ? null : best.unescape(line).split('\n')
}
