import { contentOf } from './fence-lines.ts'
import { MAX_NAME_LINE } from './file-name.ts'
import type { Block } from './block.ts'
import { COMMANDS, EXTENSIONS_OF, FILE_WORD } from './name-words.ts'
import { stripQuotes, trimNameEnd, withoutDecoration } from './plain-name.ts'

/** A word that is the name of a block only where a file is called so. */
export interface BareName {
  path: string
  /** It may as well be a title or a remark. */
  isDoubtful: boolean
  /** The line of the block that gives it, where one does. */
  ownLine?: string
}

const WORD = /^\w[\w-]*(?:\/\w[\w-]*)*$/
const KEYED = /(?:^|[\s{])(?:file_?name|file_?path|file|path|title)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'{},]+))/i
const COMMENT = /^(?:#|\/\/|--|;|%)\s*(?:file(?:[ -]?(?:name|path))?\s*:\s*)?(\S+)$/i

const bareName = (path: string, isDoubtful: boolean): BareName | null => (WORD.test(path) ? { path, isDoubtful } : null)

/** The word that is all of a line, but for marks and a label. */
function nameFromWord(line: string): BareName | null {
  if (line.length > MAX_NAME_LINE) return null
  const { text, isHeading } = withoutDecoration(line)
  const label = /^([^:：]{1,60})[:：]\s*(\S.*)$/.exec(text.replace(/^`(.*)`$/, '$1'))
  if (label !== null) {
    const [, before = '', name = ''] = label
    return FILE_WORD.test(before) ? bareName(stripQuotes(name), false) : null
  }
  return bareName(stripQuotes(trimNameEnd(text)), isHeading || text.endsWith(':'))
}

/** The word that an info string gives beside the language, or in place of one. */
function nameFromInfoWord(info: string): BareName | null {
  if (info.length > MAX_NAME_LINE) return null
  const keyed = KEYED.exec(info)
  if (keyed !== null) return bareName(keyed.slice(1).find(Boolean) ?? '', false)
  const [first = '', second, third] = info.split(/\s+/)
  if (third !== undefined) return null
  if (second !== undefined) return bareName(second, false)
  const isLanguage = COMMANDS.has(first.toLowerCase()) || EXTENSIONS_OF.has(first.toLowerCase())
  return isLanguage ? null : bareName(first, true)
}

/** The word that is all of a comment in the first line of a block. */
function nameFromComment([first = '', second = '']: readonly string[]): BareName | null {
  const line = first.startsWith('#!') ? second : first
  if (line.length > MAX_NAME_LINE) return null
  const name = bareName(COMMENT.exec(line.trim())?.[1] ?? '', true)
  return name === null ? null : { ...name, ownLine: line }
}

/**
 * The word without an extension that names a block where a file is called so: `deploy` alone above the fence, behind
 * its language, or in a comment that is the first line.
 *
 * @param floor - The first line that may name the block.
 */
export function bareNameOf(lines: readonly string[], block: Block, floor: number): BareName | null {
  const { fence, from, to } = block
  const nearest = from - 2
  const above = lines[nearest]?.trim() ? nearest : nearest - 1
  const body = contentOf(lines, from, { to: Math.min(to, from + 2), indent: fence.indent })
  const line = above < floor ? undefined : lines[above]
  if (line !== undefined) {
    const name = nameFromWord(line)
    if (name !== null) return name
  }
  return nameFromInfoWord(fence.info) ?? nameFromComment(body)
}
