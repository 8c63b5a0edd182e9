import { safePath } from '../../core/safe-path.ts'
import { beginsDiff } from './diff-lines.ts'
import { replyProblem, type EditProblem, type Reply } from '../edit.ts'
import { contentOf, findFenceEnd, readFence, type Fence, type FenceContent } from './fence-lines.ts'
import { nameFromInfo, nameFromLine, type FileName } from './file-name.ts'
import { withoutLineNumbers } from '../text/line-numbers.ts'
import { readDiffs } from './read-diff.ts'
import { readEnvelope } from './read-envelope.ts'
import { replyLines, type ReplyLines } from './reply-lines.ts'

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
const WRAPPERS: ReadonlySet<string> = new Set(['', 'markdown', 'md', 'text', 'txt', 'plaintext', 'xml'])
const MAX_DEPTH = 3
/** Said of a reply that has fences but no file and no diff. */
export const NO_EDIT =
  'The reply has fences or marks of diffs, but no edit. Put the name of the file alone on the line above a fence that holds all of the file, or send a unified diff with "--- a/path" and "+++ b/path".'

/** The name that the nearest line above gives, with at most one blank line between. */
function nameAbove(
  lines: readonly string[],
  at: number,
  { floor, language }: { floor: number; language: string },
): FileName | null {
  const isBlank = (lines[at - 1] ?? '').trim() === ''
  const line = isBlank ? at - 2 : at - 1
  return line < floor ? null : nameFromLine(lines[line] ?? '', language)
}

/** Whether a block that is not said to be a diff begins like one. */
function looksLikeDiff(
  lines: readonly string[],
  { first, fence, name }: { first: number; fence: Fence; name: FileName | null },
): boolean {
  const head = [0, 1, 2].map(i =>
    (lines[first + i] ?? '').slice(
      Math.min(fence.indent, (lines[first + i] ?? '').length - (lines[first + i] ?? '').trimStart().length),
    ),
  )
  if (name !== null && MARKDOWN.test(name.path.slice(name.path.lastIndexOf('.') + 1))) {
    return (head[0] ?? '').startsWith('--- a/') && beginsDiff(head, 0)
  }
  return beginsDiff(head, 0)
}

function openBlock(
  lines: readonly string[],
  at: number,
  { fence, floor }: { fence: Fence; floor: number },
): { fence: Fence; language: string; name: FileName | null; content: FenceContent } {
  const language = /^[\w+#.-]*/.exec(fence.info)?.[0].toLowerCase() ?? ''
  const isDiffLanguage = DIFF_LANGUAGES.has(language)
  const fromInfo = nameFromInfo(fence.info)
  const fromLine = nameAbove(lines, at, {
    floor,
    language: fromInfo !== null && fence.info === fromInfo.path ? '' : isDiffLanguage ? 'diff' : language,
  })
  const name =
    fromInfo === null || (fromLine?.named === 'line' && !/[\s:=]/.test(fence.info) && !fence.info.includes('/'))
      ? fromLine
      : fromInfo
  const isPatchFile = name?.named === 'line' && /\.(?:patch|diff)$/i.test(name.path)
  let first = at + 1
  while (first < lines.length && first < at + 8 && (lines[first] ?? '').trim() === '') first++
  const isEnvelope = lines.slice(first, first + 3).some(line => line.trim() === '*** Begin Patch')
  const content =
    !isPatchFile && (isDiffLanguage || isEnvelope || looksLikeDiff(lines, { first, fence, name }))
      ? 'diff'
      : MARKDOWN.test(language) || (name !== null && MARKDOWN.test(name.path.slice(name.path.lastIndexOf('.') + 1)))
        ? 'markdown'
        : 'other'
  return { fence, language, name, content }
}

function searchReplaceProblem(lines: readonly string[], path: string | null): EditProblem | null {
  const at = lines.findIndex(line => /^<{5,9}(?: |$)/.test(line))
  if (
    at < 0 ||
    !lines.some((line, i) => i > at && /^={5,9}\s*$/.test(line)) ||
    !lines.some((line, i) => i > at && /^>{5,9}(?: |$)/.test(line))
  ) {
    return null
  }
  return replyProblem(
    'malformed',
    'Blocks of SEARCH and REPLACE, and marks of a conflict, are not read. Send a unified diff, or all of the file.',
    { path: path === null ? null : safePath(path), text: lines.slice(at, at + 40).join('\n') },
  )
}

function readDiffBlock(
  source: ReplyLines,
  block: Block,
  { lines, lastPath }: { lines: readonly string[]; lastPath: string | null },
): { diffs: Reply['diffs']; problems: EditProblem[] } {
  const content = contentOf(lines, block.from, { to: block.to, indent: block.fence.indent })
  const hasCr = (line: number): boolean => source.hasCr(block.from + line)
  const fallback = block.name?.path ?? lastPath
  const isSearch = searchReplaceProblem(content, fallback)
  if (isSearch !== null) return { diffs: [], problems: [isSearch] }
  const text = { lines: content, hasCr, end: content.length, within: 'fence' as const }
  const envelope = content.findIndex(line => line.startsWith('*** Begin Patch'))
  const read = envelope >= 0 ? readEnvelope(text, envelope) : readDiffs(text, 0, fallback)
  const diffs = read.diffs.map(diff => ({ ...diff, line: diff.line + block.from }))
  if (diffs.length + read.problems.length === 0 && content.some(line => line.trim() !== '')) {
    return {
      diffs,
      problems: [
        replyProblem(
          'malformed',
          'This diff has no hunk. A hunk begins with "@@", and its lines with "+", "-" or a blank.',
          { path: safePath(fallback ?? ''), text: content.slice(0, 40).join('\n') },
        ),
      ],
    }
  }
  return { diffs, problems: read.problems }
}

function addFile(reply: Reply, block: Block, source: ReplyLines): void {
  const { name, fence, from, to } = block
  if (name === null) return
  const path = safePath(name.path)
  const lines = contentOf(source.lines, from, { to, indent: fence.indent })
  const shown = lines.slice(0, 40).join('\n')
  if (path === null) {
    reply.problems.push(
      replyProblem(
        'bad_path',
        `${JSON.stringify(name.path)} is no path that may be written: it must be relative, inside the project and outside of .git.`,
        { text: shown },
      ),
    )
    return
  }
  const search = searchReplaceProblem(lines, path)
  const numbers = withoutLineNumbers(lines)
  if (search !== null || numbers === 'excerpt') {
    reply.problems.push(
      search ??
        replyProblem(
          'malformed',
          'These lines carry the numbers of an excerpt. Send the whole file without numbers, or a unified diff.',
          { path, text: shown },
        ),
    )
    return
  }
  const text = numbers ?? lines
  const hasCr = (i: number): boolean => source.hasCr(from + i)
  const noNewline = text.at(-1) === '\\ No newline at end of file'
  const body = noNewline ? text.slice(0, -1) : text
  const content = body.map((line, i) => `${line}${hasCr(i) ? '\r' : ''}\n`).join('')
  reply.files.push({
    path,
    content: noNewline ? content.replace(/\r?\n$/, '') : content,
    named: name.named,
    line: from,
  })
}

/** A line of an edit that is not read as one: half of a diff, or a tag that names a file. */
const isLooseMark = (line: string): boolean =>
  /^(?:@@(?: |$)|--- a\/\S|\+\+\+ b\/\S)/.test(line) ||
  (line.startsWith('<') &&
    /[./]/.test(/^<[A-Za-z][\w:-]{0,30}\s[^<>]{0,200}?(?:path|name|file)="([^"]{1,300})"/i.exec(line)?.[1] ?? ''))

/**
 * A closing fence too many: with nothing but blank lines since the last block, and nothing to come, or a block that
 * opens itself.
 */
function isStray(
  lines: readonly string[],
  at: number,
  { fence, floor, to }: { fence: Fence; floor: number; to: number },
): boolean {
  if (fence.info !== '' || floor === 0) return false
  let above = at - 1
  while (above >= floor && (lines[above] ?? '').trim() === '') above--
  if (above >= floor) return false
  for (let i = at + 1; i < to; i++) {
    const other = readFence(lines[i] ?? '')
    if (other !== null) return other.info !== ''
  }
  return true
}

function cut(
  diffs: Reply['diffs'],
  problems: EditProblem[],
  text: string,
): { diffs: Reply['diffs']; problems: EditProblem[] } {
  const last = diffs.at(-1)
  const kept =
    last === undefined ? [] : [{ ...last, hunks: last.hunks.slice(0, -1) }].filter(({ hunks }) => hunks.length > 0)
  return {
    diffs: [...diffs.slice(0, -1), ...kept],
    problems: [
      ...problems,
      replyProblem('truncated', 'The reply ends inside of this hunk. Send it again, whole.', {
        path: last?.newPath ?? last?.oldPath ?? null,
        text,
      }),
    ],
  }
}

/**
 * The last diff of a reply that ends without a fence is cut off when its counts ask for more lines, and for fewer on
 * neither side.
 */
function refuseCut({ diffs, problems }: { diffs: Reply['diffs']; problems: EditProblem[] }): {
  diffs: Reply['diffs']
  problems: EditProblem[]
} {
  const hunk = diffs.at(-1)?.hunks.at(-1)
  if (hunk === undefined || hunk.oldCount === null || hunk.newCount === null) return { diffs, problems }
  const old = hunk.oldCount - hunk.lines.filter(({ kind }) => kind !== '+').length
  const added = hunk.newCount - hunk.lines.filter(({ kind }) => kind !== '-').length
  return old >= 0 && added >= 0 && old + added > 0 ? cut(diffs, problems, hunk.text) : { diffs, problems }
}

function readLines(source: ReplyLines, depth: number): Reply {
  const { lines } = source
  const [from, to] = [0, lines.length]
  const reply: Reply = { files: [], diffs: [], problems: [] }
  const wrappers: Array<{ from: number; to: number }> = []
  let floor = from // the first line that may name what follows
  let lastPath: string | null = null
  let marks = 0
  // One by one: there may be more than one call takes as arguments.
  const take = ({ diffs, problems }: { diffs: Reply['diffs']; problems: EditProblem[] }): void => {
    for (const diff of diffs) reply.diffs.push(diff)
    for (const problem of problems) reply.problems.push(problem)
    lastPath = diffs.at(-1)?.newPath ?? diffs.at(-1)?.oldPath ?? lastPath
  }
  for (let i = from; i < to; i++) {
    const fence = readFence(lines[i] ?? '')
    if (fence === null) {
      if (isLooseMark(lines[i] ?? '')) marks++
      if (/^<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\b/.test(lines[i] ?? '')) {
        const name = nameAbove(lines, i, { floor, language: '' })
        let end = i
        while (end < to - 1 && !/^>{5,9}(?: |$)/.test(lines[end] ?? '')) end++
        take({
          diffs: [],
          problems: [
            searchReplaceProblem(lines.slice(i, end + 1), name?.path ?? null) ??
              replyProblem(
                'truncated',
                'This block of SEARCH and REPLACE does not end, and such blocks are not read. Send a unified diff, or all of the file.',
                { text: lines.slice(i, i + 40).join('\n') },
              ),
          ],
        })
        i = end
        floor = i + 1
        continue
      }
      if (!beginsDiff(lines, i)) continue
      marks++
      const name = nameAbove(lines, i, { floor, language: 'diff' })
      const diffText = { lines, hasCr: source.hasCr, end: to, within: 'prose' as const }
      const read = (lines[i] ?? '').startsWith('*** Begin Patch')
        ? readEnvelope(diffText, i)
        : readDiffs(diffText, i, name?.path ?? lastPath)
      take(read.next >= to ? refuseCut(read) : read)
      i = Math.max(read.next, i + 1) - 1
      floor = i + 1
      continue
    }
    if (isStray(lines, i, { fence, floor, to })) {
      floor = i + 1
      continue
    }
    marks++
    const opened = openBlock(lines, i, { fence, floor })
    const end = findFenceEnd(lines, i, {
      opener: fence,
      content: opened.content,
      startsBlock: line => nameAbove(lines, line, { floor: i + 1, language: '' })?.named === 'line',
    })
    if (!('at' in end)) {
      const path = safePath(opened.name?.path ?? '')
      const shown = lines.slice(i, i + 40).join('\n')
      reply.problems.push(
        'doubtful' in end
          ? replyProblem('malformed', end.doubtful, { path, text: shown })
          : replyProblem(
              'truncated',
              'This block is not closed: the reply was cut off, or a closing fence is missing. Send it again, whole.',
              { path, text: shown },
            ),
      )
      break
    }
    const block: Block = { ...opened, from: i + 1, to: end.at }
    if (opened.content === 'diff') take(readDiffBlock(source, block, { lines, lastPath }))
    else if (block.name !== null) addFile(reply, block, source)
    else if (WRAPPERS.has(block.language)) wrappers.push({ from: i + 1, to: end.at })
    i = end.at
    floor = i + 1
  }
  if (reply.files.length + reply.diffs.length + reply.problems.length > 0) return reply
  const inner = depth < MAX_DEPTH ? wrappers.map(range => readWithin(source, range, depth + 1)) : []
  reply.files = inner.flatMap(({ files }) => files)
  reply.diffs = inner.flatMap(({ diffs }) => diffs)
  reply.problems = inner.flatMap(({ problems }) => problems)
  if (marks > 0 && reply.files.length + reply.diffs.length + reply.problems.length === 0 && depth === 0) {
    reply.problems.push(replyProblem('malformed', NO_EDIT, { text: lines.slice(from, from + 40).join('\n') }))
  }
  return reply
}

/** Reads what a fence encloses as a reply of its own. */
function readWithin(source: ReplyLines, { from, to }: { from: number; to: number }, depth: number): Reply {
  const reply = readLines(
    { ...source, lines: source.lines.slice(from, to), hasCr: line => source.hasCr(from + line) },
    depth,
  )
  for (const edit of [...reply.files, ...reply.diffs]) edit.line += from
  return reply
}

/**
 * Reads the files and diffs out of a model's reply: one pass over its lines. What looks like an edit and is none comes
 * back as a problem, worded for the model. A reply of prose only holds neither.
 */
export function readReply(text: string): Reply {
  const source = replyLines(text)
  const reply = source.thoughtProblem === 'doubtful' ? { files: [], diffs: [], problems: [] } : readLines(source, 0)
  if (source.thoughtProblem === 'cut') {
    reply.problems.push(replyProblem('truncated', 'The reply ends inside of a thought, before any edit after it.'))
  }
  if (source.thoughtProblem === 'doubtful') {
    reply.problems.push(
      replyProblem(
        'malformed',
        'A thought ends (</think>) after a diff, and nothing says where it began. Send the edits again, without thoughts.',
      ),
    )
  }
  return reply
}

/** What stands in a fence, once its end is known. */
interface Block {
  fence: Fence
  language: string
  name: FileName | null
  from: number
  to: number
}
