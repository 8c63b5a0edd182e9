import { escaped } from '../core/visible-text.ts'

// What can move the cursor, change colours or turn the order of text around; line feeds and tabs are the only controls
// that text needs.
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g
const LINE_BREAKS = /[\n\t]/g

/**
 * Text of a trace, a repository or a model that is safe to print: control and bidirectional characters are shown as
 * `\u001B`.
 */
export const printable = (text: string): string =>
  text.toWellFormed().replaceAll('\r\n', '\n').replace(CONTROLS, escaped)

/** The same on one line. */
export const printableLine = (text: string): string => printable(text).replace(LINE_BREAKS, ' ')

/** The same for text that arrives in pieces: a surrogate pair may be split between two of them. */
export function createPrintableStream(): (piece: string) => string {
  let held = ''
  return piece => {
    const text = held + piece
    const cut = /[\uD800-\uDBFF\r]$/.test(text) ? text.length - 1 : text.length
    held = text.slice(cut)
    return printable(text.slice(0, cut))
  }
}
