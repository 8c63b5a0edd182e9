import { isPathLike } from './path-like.ts'
import type { ClosingTags } from './closing-tags.ts'

/** A file between tags. */
export interface TaggedFile {
  path: string
  /** The first line of the content, and the first one after it. */
  from: number
  to: number
  /** The line of the closing tag. */
  end: number
}

/** Tags that have all of a file between them. */
const WHOLE_FILE =
  /^(?:file|create_?file|write_?file|new_?file|save_?file|write_to_file|create|antArtifact|boltAction)$/i
const OPENING = /^<([A-Za-z][\w:-]{0,30})(\s[^<>]{0,600})?>$/
const NAME = /\s(?:path|file_?path|filename|title|name)\s*=\s*["']([^"'<>]{1,300})["']/i
const NAME_LINE = /^<(?:path|file_?path|filename|name)>([^<>]{1,300})<\/[\w:-]+>$/i
const CONTENT_LINE = /^<(contents?|code|file_?text)>$/i

const trimmedAt = (lines: readonly string[], at: number): string => (lines[at] ?? '').trim()

/** The name and the content between two tags, of which the opening one names nothing. */
function readInside(lines: readonly string[], { at, end }: { at: number; end: number }): TaggedFile | null {
  let line = at + 1
  while (line < end && trimmedAt(lines, line) === '') line++
  const path = NAME_LINE.exec(trimmedAt(lines, line))?.[1]?.trim()
  const opener = CONTENT_LINE.exec(trimmedAt(lines, line + 1))?.[1]
  if (path === undefined || opener === undefined) return null
  let to = end - 1
  while (to > line + 1 && trimmedAt(lines, to) !== `</${opener}>`) to--
  return to === line + 1 ? null : { path, from: line + 2, to, end }
}

/**
 * Reads a file between tags that stand alone on their lines: `<file path="a.py">`, `<create_file path="a.py">`, or
 * `<create_file>` with `<path>` and `<content>` inside. Null where none begins, or where it does not end.
 */
export function readTaggedFile(
  lines: readonly string[],
  at: number,
  closingTags: Pick<ClosingTags, 'after'>,
): TaggedFile | null {
  if (!(lines[at] ?? '').startsWith('<')) return null // nearly every line of prose
  const [, tag = '', attributes = ''] = OPENING.exec(trimmedAt(lines, at)) ?? []
  const end = WHOLE_FILE.test(tag) ? closingTags.after(at, tag) : -1
  if (end < 0) return null
  const path = NAME.exec(attributes)?.[1]
  if (path !== undefined && /^(?:ant|bolt)/i.test(tag) && !isPathLike(path, 'strict')) return null
  return path === undefined ? readInside(lines, { at, end }) : { path, from: at + 1, to: end, end }
}
