import type { Redacted } from './redacted.ts'

/** PuTTY writes no BEGIN. */
const BEGIN =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----|\bPrivate-Lines: \d{1,4}\b/g
// Between the lines of a key stand line breaks (real or escaped), the ends of string literals, signs of comments
// and quotations, and the line numbers of our own contexts.
const GAP = /(?:\\{1,4}[nrt]|[\s"',>#*]|\+\s|\d{1,7} \||\/\/ )+/y
const HEADER = /[A-Za-z][A-Za-z-]{1,30}: [^\n\\]{0,200}(?=[\n\\])/y
const LINE = /[A-Za-z0-9+/=]{20,}/y
const LAST_LINE = /[A-Za-z0-9+/=]{1,19}(?=(?:\\{1,4}[nrt]|[\s"',+>#*]|\d{1,7} \||\/\/ ){0,40}----[ -])/y
const MAX_HEADERS = 8 // bounds what is read in vain where no key follows
const HIDDEN = '[redacted:private-key]'

/** The replacement for the lines of a key that begin at `start`; null when no such line is there. */
function hiddenBody(text: string, start: number): { text: string; end: number } | null {
  const read = (pattern: RegExp, at: number): string => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0] ?? ''
  }
  let hidden = ''
  let lines = 0
  let headers = 0
  let end = start
  while (true) {
    const gap = read(GAP, end)
    const at = end + gap.length
    const line = read(LINE, at) || (lines > 0 ? read(LAST_LINE, at) : '')
    const header = line === '' && lines === 0 && headers < MAX_HEADERS ? read(HEADER, at) : ''
    if (line === '' && header === '') return lines === 0 ? null : { text: hidden, end }
    if (line === '') headers += 1
    else lines += 1
    hidden += gap + (line === '' ? header : HIDDEN)
    end = at + line.length + header.length
  }
}

/**
 * Empties private key blocks, both whole ones and those cut at a chunk's edge. Line breaks and line numbers stay, so
 * that the rest keeps its place. A BEGIN line without a body (as in code that looks for one) is no secret.
 */
export function hidePrivateKeys(text: string): Redacted {
  const parts: string[] = []
  let count = 0
  let copied = 0
  for (const begin of text.matchAll(BEGIN)) {
    const start = begin.index + begin[0].length
    const body = start < copied ? null : hiddenBody(text, start)
    if (body === null) continue
    parts.push(text.slice(copied, start), body.text)
    copied = body.end
    count += 1
  }
  return { text: parts.join('') + text.slice(copied), count }
}
