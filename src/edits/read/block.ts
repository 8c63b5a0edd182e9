import { beginsDiff } from './diff/diff-lines.ts'
import { contentOf, type Fence, type FenceContent } from './fence-lines.ts'
import { nameFromLine, type FileName } from './file-name.ts'
import { nameInFirstLine } from './first-line-name.ts'
import { nameFromInfo } from './info-string.ts'
import { agreesWith, COMMANDS } from './name-words.ts'
import { nameFurtherUp } from './name-further-up.ts'

/** What the opening fence of a block says about it. */
export interface OpenBlock {
  fence: Fence
  /** In lower case; '' for none. */
  language: string
  name: FileName | null
  content: FenceContent
}

/** A block whose end is known. */
export interface Block extends OpenBlock {
  /** The first line of the content. */
  from: number
  /** The line of the closing fence. */
  to: number
}

const DIFF_LANGUAGES: ReadonlySet<string> = new Set([
  'diff',
  'patch',
  'udiff',
  'git-diff',
  'gitdiff',
  'unified-diff',
  'unidiff',
  'apply_patch',
])
const MARKDOWN = /^(?:md|mdx|markdown|rst|mkd)$/i
const LANGUAGE = /^[\w+#.-]*/
const PATCH_FILE = /\.(?:patch|diff)$/i
/** A block may begin with fewer blank lines than this. */
const MAX_BLANKS = 8

const isMarkdownFile = (name: FileName | null): boolean =>
  name !== null && MARKDOWN.test(name.path.slice(name.path.lastIndexOf('.') + 1))

/** The name that the nearest line above a fence gives, with at most one blank line between. */
export function nameAbove(
  lines: readonly string[],
  at: number,
  { floor, language }: { floor: number; language: string },
): FileName | null {
  const isBlank = (lines[at - 1] ?? '').trim() === ''
  const above = isBlank ? at - 2 : at - 1
  if (above < floor) return null
  return nameFromLine(lines[above] ?? '', language)
}

/** The name that the first line of a block gives, or a title further up. */
function nameWithinReach(
  lines: readonly string[],
  at: number,
  { floor, language }: { floor: number; language: string },
): FileName | null {
  // Of a diff, lines with signs are no comments.
  const isSigned = language === 'diff' && /^\s*--/.test(lines[at + 1] ?? '')
  const own = isSigned ? null : nameInFirstLine(lines, at + 1, language)
  if (own !== null) return { path: own.path, named: 'line', ownLine: own.line }
  return nameFurtherUp(lines, at, { floor, language })
}

/** The name of a script in the sentence above it. Other blocks of commands are named by nothing but a name. */
function nameOfScript(
  lines: readonly string[],
  at: number,
  { floor, language }: { floor: number; language: string },
): FileName | null {
  if (!COMMANDS.has(language) || lines[at + 1]?.trimStart().startsWith('#!') !== true) return null
  const name = nameAbove(lines, at, { floor, language: 'script' })
  return name !== null && agreesWith(name.path, language) ? name : null
}

/** The name that the line above or the info string gives. */
function nameOf(
  lines: readonly string[],
  at: number,
  { fence, floor, language }: { fence: Fence; floor: number; language: string },
): FileName | null {
  const fromInfo = nameFromInfo(fence.info)
  const isOnlyName = fromInfo !== null && fence.info === fromInfo.path
  const fromLine = nameAbove(lines, at, { floor, language: isOnlyName ? '' : language })
  if (fromInfo === null) {
    return fromLine ?? nameOfScript(lines, at, { floor, language }) ?? nameWithinReach(lines, at, { floor, language })
  }
  // `a.py` alone behind a fence says less than a line above it that is nothing but a name.
  return fromLine?.named === 'line' && !/[\s:=/]/.test(fence.info) ? fromLine : fromInfo
}

/** Whether a block that is not said to be a diff begins like one. */
function looksLikeDiff(
  lines: readonly string[],
  { first, fence, name }: { first: number; fence: Fence; name: FileName | null },
): boolean {
  const head = [0, 1, 2].map(i => {
    const line = lines[first + i] ?? ''
    return line.slice(Math.min(fence.indent, line.length - line.trimStart().length))
  })
  return beginsDiff(head, 0) && (!isMarkdownFile(name) || (head[0] ?? '').startsWith('--- a/'))
}

/** Whether a block holds diffs to be applied: not one that is a file of its own. */
function holdsDiffs(
  lines: readonly string[],
  at: number,
  { fence, language, name }: Pick<OpenBlock, 'fence' | 'language' | 'name'>,
): boolean {
  if (name?.named === 'line' && PATCH_FILE.test(name.path)) return false
  if (DIFF_LANGUAGES.has(language)) return true
  let first = at + 1
  while (first < lines.length && first < at + MAX_BLANKS && (lines[first] ?? '').trim() === '') first++
  const isEnvelope = lines.slice(first, first + 3).some(line => line.trim() === '*** Begin Patch')
  return isEnvelope || looksLikeDiff(lines, { first, fence, name })
}

/**
 * Reads what the fence at this line opens.
 *
 * @param floor - The first line that may name the block.
 */
export function openBlock(
  lines: readonly string[],
  at: number,
  { fence, floor }: { fence: Fence; floor: number },
): OpenBlock {
  const language = LANGUAGE.exec(fence.info)?.[0].toLowerCase() ?? ''
  const name = nameOf(lines, at, { fence, floor, language: DIFF_LANGUAGES.has(language) ? 'diff' : language })
  const block = { fence, language, name }
  if (holdsDiffs(lines, at, block)) return { ...block, content: 'diff' }
  return { ...block, content: MARKDOWN.test(language) || isMarkdownFile(name) ? 'markdown' : 'other' }
}

/** The lines in a block. */
export const linesOf = (lines: readonly string[], { from, to, fence }: Block): string[] =>
  contentOf(lines, from, { to, indent: fence.indent })
