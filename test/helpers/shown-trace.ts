import { parseStackTrace } from '../../src/stack-trace/parse.ts'

/** A text as the parser reads it, in short: per exception its head and its frames, outermost call first. */
export function shown(text: string): Array<{ head: string; frames: string[] }> {
  const { exceptions, frames } = parseStackTrace(text)
  return exceptions.map(({ index, type, message, relation, count }) => ({
    head: `${relation} ${type}: ${message}${count > 1 ? ` ×${count}` : ''}`,
    frames: frames
      .filter(({ exception }) => exception === index)
      .map(({ file, line, column, function: name, sourceText, repeat }) =>
        [
          `${file ?? '-'}:${line ?? '-'}${column === null ? '' : `:${column}`} ${name ?? '-'}`,
          sourceText === null ? '' : ` | ${sourceText}`,
          repeat > 1 ? ` ×${repeat}` : '',
        ].join(''),
      ),
  }))
}
