import { parseStackTrace } from '../../src/stack-trace/parse.ts'

/** What was read, in a form that a test can state: one line per exception, one per frame below it. */
export function summary(text: string) {
  const { exceptions, frames } = parseStackTrace(text)
  return exceptions.map(({ index, type, message, relation, count }) => ({
    head: `${relation} ${type}: ${message}${count > 1 ? ` ×${count}` : ''}`,
    frames: frames
      .filter(frame => frame.exception === index)
      .map(
        ({ file, line, column, function: name, repeat }) =>
          `${file}:${line}${column === null ? '' : `:${column}`} ${name}${repeat > 1 ? ` ×${repeat}` : ''}`,
      ),
  }))
}
