import { MAX_NAME_LINE } from './file-name.ts'
import { agreesWith } from './name-words.ts'
import { isPathLike } from './path-like.ts'

/** Lines that must come first in some languages, before any comment. */
const BEFORE_COMMENTS = /^(?:#!|<\?php\s*$|<\?xml |<!doctype |["']use strict["'];?\s*$)/i
const COMMENT_BEGINS = /^(?:<!--|\{\/\*|\/\*+|\/\/|--|"""|'''|[#;%]|rem )/i
const COMMENT_ENDS = /(?:\*\/\}?|-->|"""|''')$/
const LABEL = /^(?:file(?:[ -]?(?:name|path))?|path)\s*[:=]\s*/i

/** A name before a dash and a remark: `src/a.py - the loader`. */
const withoutRemark = (text: string): string => /^(\S+) [-–—] \S/.exec(text)?.[1] ?? text

/** The path that a comment names, where it holds nothing else but a remark behind a dash. */
function pathIn(comment: string): string | null {
  const text = comment.replace(COMMENT_BEGINS, '').replace(COMMENT_ENDS, '').trim().replace(LABEL, '')
  const path = withoutRemark(text.startsWith('`') && text.endsWith('`') ? text.slice(1, -1) : text)
  return !/[\s`*"']/.test(path) && /[^/\\]\.\w+$/.test(path) && isPathLike(path, 'strict') ? path : null
}

/**
 * The name that the first line of a block gives in a comment with nothing else in it: `# src/a.py`, `// src/a.ts`. It
 * has to have an extension, one of the language of the block.
 */
export function nameInFirstLine(
  lines: readonly string[],
  first: number,
  language: string,
): { path: string; line: string } | null {
  const firstLine = lines[first] ?? ''
  const at = BEFORE_COMMENTS.test(firstLine) ? first + 1 : first
  const line = lines[at] ?? ''
  const comment = line.trim()
  if (comment.length > MAX_NAME_LINE || !COMMENT_BEGINS.test(comment)) return null
  const path = pathIn(comment)
  return path !== null && agreesWith(path, language) ? { path, line } : null
}
