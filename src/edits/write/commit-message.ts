import { showLine } from '../../core/visible-text.ts'

const MAX_SUBJECT_CHARS = 72
const NO_SUBJECT = 'Change files'
/** What `git am` removes from the beginning of a subject. */
const PREFIX = /^(?:\[[^\]]*\]|re:|\s)+/i
/** Lines that `git am` takes for the beginning of a patch, for a header or for another mail. */
const TAKEN = /^(?:---|diff -|index: |>?from |\[patch\]|(?:from|subject|date|content-type|content-transfer-encoding):)/i

function cut(line: string): string {
  const characters = [...line]
  if (characters.length <= MAX_SUBJECT_CHARS) return line
  const kept = characters.slice(0, MAX_SUBJECT_CHARS - 1).join('')
  const blank = kept.lastIndexOf(' ')
  return `${(blank > MAX_SUBJECT_CHARS / 2 ? kept.slice(0, blank) : kept).trimEnd()}…`
}

/**
 * The message of the commit that answers a request: its first line, up to 72 characters, then all of it where that line
 * is not everything. `git am` keeps it unchanged: lines that would mean something to it are quoted.
 */
export function commitMessage(request: string): string {
  const lines = request.split(/\r\n?|\n/).map(line => showLine(line).trimEnd())
  const first = lines.findIndex(line => line.trim() !== '')
  const opening = lines[first]?.trim() ?? ''
  const subject = cut(opening.replace(PREFIX, '')) || NO_SUBJECT
  const whole = lines.slice(Math.max(first, 0)).join('\n').trimEnd()
  if (subject === whole.trim()) return `${subject}\n`
  const body = whole.split('\n').map(line => (TAKEN.test(line.trimStart()) ? `> ${line}` : line))
  return `${subject}\n\n${body.join('\n')}\n`
}
