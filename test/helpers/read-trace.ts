import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import type { RawException } from '../../src/stack-trace/failures.ts'

interface ReadException {
  /** `relation type: message`, with `×n` for folded copies. */
  head: string
  /** `function file:line:column`, with `×n` for recursion. */
  frames: string[]
}

const headOf = ({ type, message, relation }: Omit<RawException, 'frames'>): string => `${relation} ${type}: ${message}`

const times = (count: number): string => (count > 1 ? ` ×${count}` : '')

/** Exceptions and frames of a text in a form that is easy to compare. */
export function readExceptions(text: string): ReadException[] {
  const { exceptions, frames } = parseStackTrace(text)
  return exceptions.map(({ index, type, message, relation, count }) => ({
    head: headOf({ type, message, relation }) + times(count),
    frames: frames
      .filter(frame => frame.exception === index)
      .map(
        ({ file, line, column, function: name, repeat }) =>
          `${name} ${file}:${line}${column === null ? '' : `:${column}`}${times(repeat)}`,
      ),
  }))
}

/** The languages that the exceptions of a text were read as. */
export const languagesOf = (text: string): Array<string | null> =>
  parseStackTrace(text).exceptions.map(({ language }) => language)
