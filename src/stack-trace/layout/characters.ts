import { showBidi } from '../../core/visible-text.ts'

// eslint-disable-next-line no-control-regex -- terminals' own sequences
const ANSI = /(?:\u001B\[|\u009B)[0-9:;<=>?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[@-Z\\^_]/g
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g
const INVISIBLE = /[\u200B\u200E\u200F\u2060\uFEFF]/g
const SPACES = /[\u00A0\u202F]/g
const BYTE_ORDER_MARKS = /^(?:\uFEFF|\u00EF\u00BB\u00BF|\u00FF\u00FE|\u00FE\u00FF|\uFFFD\uFFFD(?=\0|[^\0]\0))/

// How a terminal, `cat -v` or an editor shows the escape character. `\x1b` is not among them: that is a program's own
// code.
const SHOWN_ESCAPE = /(?:\^\[|[\u241B\u2190\uFFFD])\[(?:\d{1,3}(?:[;:]\d{1,3}){0,8})?[mKJGH]/g
// A colour that lost its escape; `(?!\])` spares the durations of query languages, and a word in brackets may begin
// with m.
const BARE_COLOUR =
  /(?<!\\x1[bB]|\\033|\\e|\\u001[bB]|\\u\{1[bB]\})(?:\[\d{1,3}(?:;\d{1,3}){0,5}m|(?<=\S)\[m|\[m(?!\w))(?!\])/g
const BARE_RESET = /(?<!\\x1[bB]|\\033|\\e|\\u001[bB]|\\u\{1[bB]\})\[(?:(?:0{1,2}|22|39|49)m|m(?!\w))/

// Without any of these nothing below finds anything: most lines of most logs.
const UNUSUAL = /[^\t\n -~]|\^\[|\[[\dm]/

/** By hand, since the engine lists all matches before it replaces them: half of a text may be zeros. */
function withoutZeros(text: string): string {
  const units = new Uint16Array(text.length)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code !== 0) units[count++] = code
  }
  return Buffer.from(units.buffer, 0, count * 2).toString('utf16le')
}

function withoutColours(text: string): string {
  const escaped = text.replace(ANSI, '').replace(SHOWN_ESCAPE, '')
  return BARE_RESET.test(escaped) ? escaped.replace(BARE_COLOUR, '') : escaped
}

/**
 * A posted text with nothing in it that only a terminal or a wrong decoding put there: terminal escapes (also where the
 * escape character itself was lost), control characters other than tab and newline, byte order marks, the NULs of
 * UTF-16 read as bytes. Lone surrogates become U+FFFD, bidirectional controls are shown. Linear.
 */
export function plainCharacters(text: string): string {
  if (!UNUSUAL.test(text)) return text
  let plain = text.toWellFormed().replace(BYTE_ORDER_MARKS, '')
  if (plain.includes('\0')) plain = withoutZeros(plain)
  if (plain.includes('\r')) plain = plain.replace(/\r+\n?/g, '\n')
  return showBidi(withoutColours(plain).replace(CONTROLS, '').replace(INVISIBLE, '').replace(SPACES, ' '))
}
