import { parseStackTrace } from '../../src/stack-trace/parse.ts'

/** Releases of Node whose traces were recorded, as the names of their fixtures begin. */
export const VERSIONS = ['node-20', 'node-24']

/** The exceptions of a trace with their frames outside of the runtime. */
export function readNode(text: string) {
  const { exceptions, frames } = parseStackTrace(text)
  return exceptions.map(({ index, type, message, relation, count }) => ({
    head: `${relation} ${type}: ${message}${count > 1 ? ` ×${count}` : ''}`,
    frames: frames
      .filter(frame => frame.exception === index && frame.file?.startsWith('node:') !== true)
      .map(
        ({ file, line, column, function: name, repeat }) =>
          `${name} ${file}:${line}:${column}${repeat > 1 ? ` ×${repeat}` : ''}`,
      ),
  }))
}
