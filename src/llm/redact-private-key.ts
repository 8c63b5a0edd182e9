import type { Redacted } from './redact.ts'

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
// Between the lines of a key stand line breaks (real or escaped), the ends of string literals and the line numbers of our own contexts.
// Each alternative starts with another character, so there is one way to match a gap and nothing to try twice.
const GAP = String.raw`(?:\\[nrt]|[\s"',]|\+\s|>>>|\d{1,7} \|)`
const HEADER = String.raw`[A-Za-z][A-Za-z-]{1,30}: [^\n\\]{0,200}(?=[\n\\])`
const LINE = '[A-Za-z0-9+/=]{20,}'
const BODY = new RegExp(`(?:${GAP}*${HEADER}){0,6}${GAP}*${LINE}(?:${GAP}+${LINE})*(?:${GAP}+[A-Za-z0-9+/=]{1,19}(?![A-Za-z0-9+/=]))?`, 'y')
const LINES = new RegExp(LINE, 'g')
const LAST_LINE = /[A-Za-z0-9+/=]{1,19}$/

/**
 * Empties private key blocks, whole ones and such as a chunk's edge has cut off. The BEGIN line without a body (as in code that
 * looks for one) is no secret and stays.
 */
export function hidePrivateKeys (text: string): Redacted {
  const parts: string[] = []
  let count = 0
  let copied = 0
  for (const begin of text.matchAll(BEGIN)) {
    const start = begin.index + begin[0].length
    if (start < copied) continue
    BODY.lastIndex = start
    const body = BODY.exec(text)?.[0]
    if (body === undefined) continue
    parts.push(text.slice(copied, start), emptied(body))
    copied = start + body.length
    count += 1
  }
  return { text: parts.join('') + text.slice(copied), count }
}

/** Line breaks and line numbers stay, so that the lines after the key keep theirs. */
function emptied (body: string): string {
  return body.replace(LINES, '[redacted:private-key]').replace(LAST_LINE, '[redacted:private-key]')
}
