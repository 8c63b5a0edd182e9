const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The text of a source file as Faultline keeps, chunks and numbers it: UTF-8 without byte order mark, every line ending
 * a `\n`. Python, V8 and the JVM count `\r\n` and a lone `\r` as one line end, so line numbers agree with what they
 * print; a chunk shown to a person or a model carries no stray `\r`. Bytes for patches are read from git instead.
 *
 * @returns null when the bytes are not UTF-8.
 */
export function decodeSource(bytes: Uint8Array): string | null {
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    return null // the decoder's only failure is the answer to the question
  }
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

const EXACT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The text of a file with its byte order mark and line ends, so that a patch against it is one against its bytes; null
 * when they are not UTF-8, or there are none.
 */
export function decodeText(bytes: Uint8Array | null): string | null {
  if (bytes === null) return null
  try {
    return EXACT_UTF8.decode(bytes)
  } catch {
    return null // the decoder's only failure is the answer to the question
  }
}

/**
 * Offsets at which the lines of a text begin; a final `\n` ends the last line and begins none. No lines in an empty
 * text.
 */
export function lineStarts(text: string): number[] {
  if (text === '') return []
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) {
    starts.push(at + 1)
  }
  return starts
}

/** Number of lines of a text; a final line feed ends the last line and begins none. */
export function lineCount(text: string): number {
  if (text === '') return 0
  let count = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Lines of a text; a final line feed ends the last line and begins none. */
export function splitLines(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
