/** What PostgreSQL's `text` cannot hold, and the character that stands before what stands for it. */
const NUL = '\u0000'
const ESCAPE = '\u001a'
// eslint-disable-next-line no-control-regex -- these are what is looked for
const ESCAPED = /[\u0000\u001a]/
// eslint-disable-next-line no-control-regex -- as above
const ESCAPED_ALL = /[\u0000\u001a]/g
// eslint-disable-next-line no-control-regex -- as above
const STORED = /\u001a([01])/g

/** A text as the database can hold it: U+0000 is written as U+001A and `0`, U+001A itself as U+001A and `1`. */
function toStoredText(text: string): string {
  if (!ESCAPED.test(text)) return text
  return text.replace(ESCAPED_ALL, one => ESCAPE + (one === NUL ? '0' : '1'))
}

/** The text that was stored. */
export function fromStoredText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored
  return stored.replace(STORED, (_all, which: string) => (which === '0' ? NUL : ESCAPE))
}

/** A value of a statement, with each text in it as the database can hold it. */
export function toStoredValue(value: unknown): unknown {
  if (typeof value === 'string') return toStoredText(value)
  return Array.isArray(value) ? value.map(toStoredValue) : value
}
