import { isObject } from './is-object.ts'

/** The object that a text is in JSON; null for any other text, which others may have written. */
export function jsonObjectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
