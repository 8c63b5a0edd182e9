import { redact } from './redact.ts'

/** Shorter texts than `a://b:cd@e` hold no secret that can be told from a word. */
const MIN_CHARS = 10

/** The same plain data with the secrets in its texts replaced; names of fields stay. */
export function redactTexts<T>(value: T): T {
  if (typeof value === 'string') return (value.length < MIN_CHARS ? value : redact(value).text) as T
  if (Array.isArray(value)) return value.map(item => redactTexts<unknown>(item)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactTexts<unknown>(item)])) as T
}
