import type { TokenCounts } from './bill.ts'

/** An object in a server's reply. */
export type Fields = Record<string, unknown>

/** Whether a value's fields may be read; an array counts, and has none of those that are looked for. */
export const hasFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** Whether the value of an `error` field reports an error. */
export const isError = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== ''

/** A short name from a reply, or null when the value is none. */
export const nameOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, 64) : null

/** The first choice of a reply; null when there is none. */
export function firstChoice(reply: Fields): Fields | null {
  const first: unknown = Array.isArray(reply.choices) ? reply.choices[0] : undefined
  return hasFields(first) ? first : null
}

/** What the model wrote in a message or a piece of one: text, thoughts or tool calls; the role alone is nothing. */
export function outputOf(message: Fields): string {
  return Object.entries(message)
    .map(([name, value]) => {
      if (name === 'role' || value === null || value === undefined || value === '') return ''
      return typeof value === 'string' ? value : JSON.stringify(value)
    })
    .join('')
}

/** The text of a message; some servers send it in parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(part => (hasFields(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** The token counts in a reply; null when they are missing or no numbers. */
export function countsOf(usage: unknown): TokenCounts | null {
  if (!hasFields(usage)) return null
  const [promptTokens, completionTokens] = [usage.prompt_tokens, usage.completion_tokens]
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : null
}
