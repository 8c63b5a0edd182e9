import { parse } from 'secure-json-parse'

/** With more text around it than this an answer is no answer. */
const MAX_SCANNED_CHARS = 1 << 20
/**
 * Characters that may be read in vain, besides twice the text's length: bounds the work on text that opens many
 * brackets and closes none.
 */
const READ_IN_VAIN = 500_000

type Parsed = { value: unknown } | { problem: string }

function parsed(text: string): Parsed {
  try {
    return { value: parse(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function nextStart(text: string, from: number): number {
  const pattern = /[{[]/g
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return -1
}

/**
 * The place after the bracket that closes the one at `start`; -1 where the text ends first or another bracket closes.
 */
function endOf(text: string, start: number): number {
  const open: string[] = []
  const pattern = /["{}[\]]/g
  pattern.lastIndex = start
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [sign] = found
    if (sign === '"') {
      const end = endOfString(text, found.index)
      if (end === -1) return -1
      pattern.lastIndex = end
    } else if (sign === '{' || sign === '[') {
      open.push(sign)
    } else {
      if (open.pop() !== (sign === '}' ? '{' : '[')) return -1
      if (open.length === 0) return found.index + 1
    }
  }
  return -1
}

/** The parts of a text from an opening bracket to the one that closes it. */
function bracketed(text: string): string[] {
  const parts: string[] = []
  let inVain = 0
  for (let at = nextStart(text, 0); at !== -1 && inVain <= 2 * text.length + READ_IN_VAIN;) {
    const end = endOf(text, at)
    if (end === -1) inVain += text.length - at
    else parts.push(text.slice(at, end))
    at = nextStart(text, end === -1 ? at + 1 : end)
  }
  return parts
}

/**
 * The JSON objects and arrays in a model's reply: the reply itself, or those between prose and fences, in order. What a
 * model thinks aloud between `<think>` tags does not count.
 *
 * @returns Either values, or why there is none, in words for the model. A value with `__proto__` among its names does
 * not count.
 */
export function jsonValuesIn(reply: string): { values: unknown[]; problem: string } {
  const text = reply.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim()
  const whole = parsed(text)
  if ('value' in whole) return { values: [whole.value], problem: '' }
  const found = bracketed(text.slice(0, MAX_SCANNED_CHARS)).map(parsed)
  const values = found.flatMap(one => ('value' in one ? [one.value] : []))
  if (values.length > 0) return { values, problem: '' }
  const problem = found.flatMap(one => ('problem' in one ? [one.problem] : [])).at(-1)
  if (problem !== undefined) return { values, problem }
  return {
    values,
    problem: /[{[]/.test(text) ? `The JSON in it does not end, or is not JSON: ${whole.problem}` : 'It holds no JSON.',
  }
}
