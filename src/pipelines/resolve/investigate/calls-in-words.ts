import { isObject } from '../../../core/is-object.ts'
import type { ToolCall } from '../../../llm/tools/tool-calls.ts'
import { TOOL_DEFINITIONS } from './tools.ts'

const NAMES: ReadonlySet<unknown> = new Set(TOOL_DEFINITIONS.map(({ name }) => name))
/** Tags that models put around the calls that they write. */
const TAGS = /<\/?(?:tool_calls?|function_calls?|tools?)>/g
const HEADING = /^ {0,3}#{1,6}[ \t]+\S/m

/** A call as a model writes it: `{"name": …, "arguments": {…}}`, the words of other protocols included. */
function callIn(value: unknown): Omit<ToolCall, 'id'> | null {
  if (!isObject(value)) return null
  const inner = isObject(value.function) ? value.function : value
  const name = inner.name ?? inner.tool
  if (typeof name !== 'string') return null
  const given = inner.arguments ?? inner.parameters ?? inner.args ?? {}
  return { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) }
}

/** The calls in one value: itself, a list, or what stands under `calls`. */
function callsIn(value: unknown): Array<Omit<ToolCall, 'id'>> {
  if (isObject(value) && Array.isArray(value.calls)) return value.calls.flatMap(callsIn)
  if (isObject(value) && Array.isArray(value.tool_calls)) return value.tool_calls.flatMap(callsIn)
  if (Array.isArray(value)) return value.flatMap(callsIn)
  const call = callIn(value)
  return call === null ? [] : [call]
}

/**
 * What a model asks for in words. An answer with headings asks for nothing, whatever JSON is in its code; nor does JSON
 * that names none of the tools, unless it says `calls`.
 *
 * @param jsonValuesIn - Finds the JSON in a reply.
 */
export function callsInWords(text: string, jsonValuesIn: (text: string) => { values: unknown[] }): ToolCall[] {
  if (HEADING.test(text)) return []
  const { values } = jsonValuesIn(text.replace(TAGS, ''))
  return values
    .flatMap(value => {
      const calls = callsIn(value)
      const isMeant = calls.some(({ name }) => NAMES.has(name)) || (isObject(value) && Array.isArray(value.calls))
      return isMeant ? calls : []
    })
    .map((call, i) => ({ id: `call_${i + 1}`, ...call }))
}
