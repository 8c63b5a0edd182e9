/** A file as lines that keep their own ends. */
export interface FileLines {
  bom: string
  lines: readonly string[]
  /** `\n`, `\r\n`, or '' for a last line without an end. */
  ends: readonly string[]
}

/** A byte order mark. */
export const BOM = '\uFEFF'

/** Splits a text into its lines; `joinFile` gives the same text again. */
export function splitFile(text: string): FileLines {
  const bom = text.startsWith(BOM) ? BOM : ''
  const lines: string[] = []
  const ends: string[] = []
  for (let at = bom.length; at < text.length;) {
    const feed = text.indexOf('\n', at)
    if (feed < 0) {
      lines.push(text.slice(at))
      ends.push('')
      break
    }
    const hasCr = feed > at && text[feed - 1] === '\r'
    lines.push(text.slice(at, hasCr ? feed - 1 : feed))
    ends.push(hasCr ? '\r\n' : '\n')
    at = feed + 1
  }
  return { bom, lines, ends }
}

/** The text of lines and their ends. */
export const joinFile = ({ bom, lines, ends }: FileLines): string =>
  bom + lines.map((line, i) => line + (ends[i] ?? '')).join('')

/**
 * The line end for new lines before line `at`: that of the line above, else of the one below. A last line without an
 * end is passed over.
 */
export function endBeside({ ends }: FileLines, at: number): string {
  return ends[at - 1] || ends[at] || ends[at - 2] || '\n'
}

/**
 * A whole new content with those properties of the old one that a reply cannot show: the byte order mark, CRLF where
 * every line ends so, and a last line without an end.
 */
export function likeFile(content: string, before: FileLines): string {
  const { lines, ends } = splitFile(content)
  const known = before.ends.filter(end => end !== '')
  const isCrlf = known.length > 0 && known.every(end => end === '\r\n')
  const kept = ends.map(end => (isCrlf && end !== '' ? '\r\n' : end))
  if (kept.length > 0 && before.lines.length > 0 && before.ends.at(-1) === '') kept[kept.length - 1] = ''
  return joinFile({ bom: before.bom, lines, ends: kept })
}
