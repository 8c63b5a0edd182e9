// Bidirectional overrides, embeddings and isolates can make code read differently from what it is (CVE-2021-42574).
const BIDI = /[\u202A-\u202E\u2066-\u2069]/g
// eslint-disable-next-line no-control-regex -- they are what is shown
const CONTROLS = /[\u0000-\u0008\u000A-\u001F\u007F-\u009F\u2028\u2029]/g
/** Nearly every line of code: one look at it instead of four. */
const PLAIN = /^[\t -~]*$/

/** `\u202E` for that character. */
export const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

/** Bidirectional controls as visible escapes (`\u202E`); everything else as it is. */
export const showBidi = (text: string): string => text.replace(BIDI, escaped)

/**
 * One line of foreign text with nothing invisible in it: controls other than tab (line breaks, too), bidirectional ones
 * and lone surrogates are shown.
 */
export const showLine = (text: string): string =>
  PLAIN.test(text) ? text : showBidi(text.toWellFormed().replace(CONTROLS, escaped))
