/** A place in a source that a source map names. Lines are 1-based. */
export interface OriginalPlace {
  source: string
  line: number
}

const MAX_MAP_CHARS = 16 * 1_048_576
const DIGITS = new Map([...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((character, value) => [character.charCodeAt(0), value]))
const COMMENT = /\/[/*][#@] ?sourceMappingURL=(\S{1,2000000})/
const INLINE = /^data:application\/json;(?:charset=[\w-]{1,20};)?base64,/

/** The source map that a compiled file names: a name relative to it, or the map itself when it is inside; null when it names none. */
export function sourceMapOf (text: string): { url: string } | { map: string } | null {
  const start = text.lastIndexOf('sourceMappingURL=')
  const url = start === -1 ? undefined : COMMENT.exec(text.slice(Math.max(0, start - 4)))?.[1]?.replace(/\*\/$/, '')
  if (url === undefined) return null
  const inline = INLINE.exec(url)
  if (inline !== null) return { map: Buffer.from(url.slice(inline[0].length), 'base64').toString('utf8') }
  return url.startsWith('data:') ? null : { url }
}

/**
 * Where a place of a compiled file comes from.
 *
 * @param map - The JSON text of a source map, version 3; anything else gives null.
 * @param line - 1-based.
 * @param column - 1-based, as stack traces print it; null for the beginning of the line.
 */
export function originalPlace (map: string, line: number, column: number | null): OriginalPlace | null {
  const parsed = readMap(map)
  if (parsed === null) return null
  const found = findSegment(parsed.mappings, line - 1, column === null ? Infinity : column - 1, column === null)
  const source = found === null ? undefined : parsed.sources[found.source]
  if (found === null || typeof source !== 'string') return null
  return { source: parsed.sourceRoot === '' ? source : `${parsed.sourceRoot.replace(/\/$/, '')}/${source}`, line: found.line + 1 }
}

function readMap (text: string): { mappings: string, sources: unknown[], sourceRoot: string } | null {
  if (text.length > MAX_MAP_CHARS) return null
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, ''))
    if (typeof parsed !== 'object' || parsed === null || !('mappings' in parsed) || !('sources' in parsed)) return null
    const { mappings, sources } = parsed
    if (typeof mappings !== 'string' || !Array.isArray(sources)) return null
    return { mappings, sources, sourceRoot: 'sourceRoot' in parsed && typeof parsed.sourceRoot === 'string' ? parsed.sourceRoot : '' }
  } catch {
    return null // a map that is no JSON maps nothing
  }
}

/** The last segment of the generated line that begins at or before the column (or its first one). Source and line add up over the whole text. */
function findSegment (mappings: string, line: number, column: number, takeFirst: boolean): { source: number, line: number } | null {
  let source = 0
  let original = 0
  let at = 0
  for (let generated = 0; generated <= line && at <= mappings.length; generated++) {
    let best: { source: number, line: number } | null = null
    let start = 0
    while (at < mappings.length && mappings[at] !== ';') {
      const fields: number[] = []
      while (at < mappings.length && mappings[at] !== ',' && mappings[at] !== ';') {
        const [value, next] = readNumber(mappings, at)
        if (next === at) return null
        fields.push(value)
        at = next
      }
      if (mappings[at] === ',') at++
      start += fields[0] ?? 0
      source += fields[1] ?? 0
      original += fields[2] ?? 0
      const isFirst = best === null
      if (generated === line && fields.length >= 4 && start <= column && (isFirst || !takeFirst)) best = { source, line: original }
    }
    if (generated === line) return best
    at++
  }
  return null
}

/** One base64 VLQ number and where the next one begins; the same place when there is none. */
function readNumber (text: string, from: number): [value: number, next: number] {
  let value = 0
  let shift = 0
  for (let at = from; at < text.length && shift < 32; at++, shift += 5) {
    const digit = DIGITS.get(text.charCodeAt(at))
    if (digit === undefined) return [0, from]
    value |= (digit & 31) << shift
    if ((digit & 32) === 0) return [(value & 1) === 1 ? -(value >>> 1) : value >>> 1, at + 1]
  }
  return [0, from]
}
