/** A place in a source that a source map gives. Lines and columns are 1-based. */
export interface OriginalPlace {
  /** The source as the map spells it, below its root. */
  source: string
  line: number
  column: number
  /** The line as it was when the map was made, where the map contains its sources. */
  text: string | null
}

/** A source map that is read once and asked for many places. */
export interface SourceMap {
  /**
   * The place in a source that a place of the compiled file comes from; null for code that comes from no source.
   *
   * @param line - 1-based.
   * @param column - 1-based, as stack traces print it; null for the first place of the line.
   */
  placeOf(line: number, column: number | null): OriginalPlace | null
}

/** Larger source maps are not read. */
export const MAX_MAP_BYTES = 16 * 1_048_576
const MAX_SECTIONS = 10_000
const MAX_TEXT_CHARS = 500
const NONE = -1

function digitTable(): Int8Array {
  const table = new Int8Array(128).fill(NONE)
  for (const [value, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
    table[character.charCodeAt(0)] = value
  }
  return table
}

const DIGITS = digitTable()
const COMMENT = /\/[/*][#@] ?sourceMappingURL=(\S{1,2000000})/
const INLINE = /^data:application\/json;(?:charset=[\w-]{1,20};)?base64,/

/** What a compiled file says about its map: where it is, or the map itself. */
export type NamedMap = { url: string } | { map: string }

/**
 * The source map that a compiled file names: a name relative to it, or the map itself when it is embedded; null when it
 * names none.
 */
export function sourceMapOf(text: string): NamedMap | null {
  const start = text.lastIndexOf('sourceMappingURL=')
  const url = start === -1 ? undefined : COMMENT.exec(text.slice(Math.max(0, start - 4)))?.[1]?.replace(/\*\/$/, '')
  if (url === undefined) return null
  const inline = INLINE.exec(url)
  if (inline !== null) return { map: Buffer.from(url.slice(inline[0].length), 'base64').toString('utf8') }
  return url.startsWith('data:') ? null : { url }
}

function lineIn(content: unknown, line: number): string | null {
  if (typeof content !== 'string' || line < 0) return null
  let start = 0
  for (let left = line; left > 0; left--) {
    const end = content.indexOf('\n', start)
    if (end === -1) return null
    start = end + 1
  }
  const end = content.indexOf('\n', start)
  const text = content.slice(start, Math.min(end === -1 ? content.length : end, start + MAX_TEXT_CHARS + 1)).trim()
  return text === '' || text.length > MAX_TEXT_CHARS ? null : text
}

/**
 * Index of the last segment of a line that begins at or before the column; without a column, of the first one with a
 * source; `NONE` when there is none.
 */
function segmentAt({ starts, columns, sources }: Segments, line: number, column: number | null): number {
  const first = starts[line]
  const end = starts[line + 1]
  if (first === undefined || end === undefined) return NONE
  if (column === null) {
    for (let at = first; at < end; at++) if (sources[at] !== NONE) return at
    return NONE
  }
  let low = first
  let high = end
  while (low < high) {
    const middle = (low + high) >> 1
    if ((columns[middle] ?? 0) <= column) low = middle + 1
    else high = middle
  }
  return low === first ? NONE : low - 1
}

const COMMA = 44
const SEMICOLON = 59

function count(mappings: string): { lines: number; segments: number } {
  let lines = 1
  let segments = 1
  for (let at = 0; at < mappings.length; at++) {
    const code = mappings.charCodeAt(at)
    if (code === SEMICOLON) lines++
    if (code === COMMA || code === SEMICOLON) segments++
  }
  return { lines, segments }
}

/** Reads the numbers of one segment, up to five; null where there is something else. */
function readFields(text: string, from: number, fields: Int32Array): { count: number; next: number } | null {
  let value = 0
  let shift = 0
  let found = 0
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at) // NaN at the end
    if (shift === 0 && !(code !== COMMA && code !== SEMICOLON && at < text.length)) return { count: found, next: at }
    const digit = DIGITS[code] ?? NONE
    if (digit === NONE || shift > 30 || found === fields.length) return null
    value |= (digit & 31) << shift
    shift += 5
    if ((digit & 32) !== 0) continue
    fields[found++] = (value & 1) === 1 ? -(value >>> 1) : value >>> 1
    value = 0
    shift = 0
  }
}

function decode(mappings: string): Segments {
  const { lines: lineTotal, segments: most } = count(mappings)
  const [columns, sources, lines, originalColumns] = [
    new Int32Array(most),
    new Int32Array(most),
    new Int32Array(most),
    new Int32Array(most),
  ]
  const starts = new Int32Array(lineTotal + 1)
  const fields = new Int32Array(5)
  let [source, original, originalColumn, segment, at] = [0, 0, 0, 0, 0]
  let isWhole = true
  for (let line = 0; line < lineTotal; line++) {
    starts[line] = segment
    let column = 0
    for (; isWhole && at < mappings.length && mappings.charCodeAt(at) !== SEMICOLON; segment++) {
      const read = readFields(mappings, at, fields)
      if (read === null) {
        isWhole = false
        break
      }
      at = read.next + (mappings.charCodeAt(read.next) === COMMA ? 1 : 0)
      column += fields[0] ?? 0
      const hasSource = read.count >= 4
      if (hasSource) {
        source += fields[1] ?? 0
        original += fields[2] ?? 0
        originalColumn += fields[3] ?? 0
      }
      columns[segment] = column
      sources[segment] = hasSource ? source : NONE
      lines[segment] = original
      originalColumns[segment] = originalColumn
    }
    at++
  }
  starts[lineTotal] = segment
  return { starts, columns, sources, lines, originalColumns }
}

function plainMap(parsed: object): SourceMap | null {
  const { mappings, sources, sourceRoot, sourcesContent } = parsed as Record<string, unknown>
  if (typeof mappings !== 'string' || !Array.isArray(sources)) return null
  const root = typeof sourceRoot === 'string' && sourceRoot !== '' ? `${sourceRoot.replace(/\/$/, '')}/` : ''
  const contents = Array.isArray(sourcesContent) ? sourcesContent : []
  let decoded: Segments | null = null
  return {
    placeOf(line, column) {
      decoded ??= decode(mappings)
      const at = segmentAt(decoded, line - 1, column === null ? null : column - 1)
      const which = decoded.sources[at] ?? NONE
      const source: unknown = sources[which]
      const original = decoded.lines[at] ?? NONE
      if (which === NONE || original < 0 || typeof source !== 'string') return null
      return {
        source: root + source,
        line: original + 1,
        column: (decoded.originalColumns[at] ?? 0) + 1,
        text: lineIn(contents[which], original),
      }
    },
  }
}

/** A map of several concatenated files: each section begins somewhere and has a map of its own. */
function sectioned(sections: unknown[]): SourceMap {
  const parts = sections.slice(0, MAX_SECTIONS).flatMap(section => {
    const { offset, map } = (section ?? {}) as { offset?: { line?: unknown; column?: unknown }; map?: unknown }
    const read = typeof map === 'object' && map !== null ? plainMap(map) : null
    return read === null || typeof offset?.line !== 'number' || typeof offset.column !== 'number'
      ? []
      : [{ line: offset.line, column: offset.column, map: read }]
  })
  return {
    placeOf(line, column) {
      const at = parts.findLast(
        part => part.line < line - 1 || (part.line === line - 1 && (column === null || part.column < column)),
      )
      if (at === undefined) return null
      const isFirstLine = at.line === line - 1
      return at.map.placeOf(line - at.line, column !== null && isFirstLine ? column - at.column : column)
    },
  }
}

function sourceMap(parsed: unknown): SourceMap | null {
  if (typeof parsed !== 'object' || parsed === null) return null
  return 'sections' in parsed && Array.isArray(parsed.sections) ? sectioned(parsed.sections) : plainMap(parsed)
}

/**
 * Reads the JSON text of a source map, version 3, with or without sections. About 20 ms a MiB.
 *
 * @returns null for anything else, and for more than 16 MiB. Mappings are read up to the first that is damaged.
 */
export function readSourceMap(text: string): SourceMap | null {
  if (text.length > MAX_MAP_BYTES) return null
  try {
    return sourceMap(JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, '')))
  } catch (error) {
    if (error instanceof SyntaxError) return null // a map that is no JSON maps nothing
    throw error
  }
}

/** Segments in order; those of generated line n are from `starts[n]` to `starts[n + 1]`. */
interface Segments {
  starts: Int32Array
  columns: Int32Array
  /** `NONE` for generated code that comes from no source. */
  sources: Int32Array
  lines: Int32Array
  originalColumns: Int32Array
}
