import { lowerBaseName } from '../../core/path-names.ts'
import { safePath } from '../../core/safe-path.ts'
import { badPathProblem, replyProblem, type EditProblem, type FileBlock, type ReadReply } from '../../edits/edit.ts'
import { isHunkHeader } from '../../edits/read/diff/diff-lines.ts'
import { readDiffs } from '../../edits/read/diff/read-diff.ts'
import { readEnvelope } from '../../edits/read/read-envelope.ts'
import { emptyReply } from '../../edits/read/reading.ts'
import { remarksIn } from '../../edits/read/remarks.ts'
import { replyLines } from '../../edits/read/reply-lines.ts'
import { beginsSearchReplace, readSearchReplace } from '../../edits/read/search-replace.ts'
import type { CoderFile } from './coder-answer.ts'

/** What is there when a coder's answer comes. */
interface Known {
  /** All paths of the project, with the changes so far. */
  paths: ReadonlySet<string>
  /** Paths that the coder was shown whole, or wrote itself. */
  whole: ReadonlySet<string>
  /** Paths that an answer before took away. */
  gone: ReadonlySet<string>
}

const MAX_CHARS_SHOWN = 2000
const MAX_HINTS = 5
/** A fence around all of a content. */
const FENCE = /^(`{3,})[^\n`]*\n([\s\S]*)\n\1$/
/** Files in which a fence may be the content. */
const MARKDOWN = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i
const PATCH = /\.(?:diff|patch)$/i
const DIFF_BEGINS = /^(?:diff --git |Index: |--- \S|\*\*\* Begin Patch|@@ )/
const NUL = '\0'

const notWhole = (path: string): string =>
  `You were not shown all of ${path}, so it cannot be written whole. Send a unified diff of it in "content".`

const problemOf = (file: CoderFile, reason: EditProblem['reason'], detail: string, path: string): EditProblem =>
  replyProblem(reason, detail, { path, text: file.content.slice(0, MAX_CHARS_SHOWN) })

/** A content without the fence around all of it, unless the file is one that may begin with a fence. */
function unfenced(path: string, content: string): string {
  if (MARKDOWN.test(path)) return content
  const inner = FENCE.exec(content.trim())?.[2]
  return inner === undefined ? content : `${inner}\n`
}

/** Whether a content is a diff of the file rather than the file. */
function isDiff(path: string, { content, isDiff: isNamedSo }: Pick<CoderFile, 'content' | 'isDiff'>): boolean {
  if (isNamedSo) return true
  const text = content.trimStart()
  if (PATCH.test(path) || !(DIFF_BEGINS.test(text) || beginsSearchReplace(text))) return false
  return beginsSearchReplace(text) || text.startsWith('*** Begin Patch') || text.split('\n').some(isHunkHeader)
}

/** Reads a diff in any of the forms that a reply may have it in. */
function readDiffText(path: string, content: string): Pick<ReadReply, 'diffs' | 'problems'> {
  const { lines, hasCr } = replyLines(content.replace(/^\s*\n/, ''))
  if (lines.some(beginsSearchReplace)) return readSearchReplace({ lines, hasCr, path })
  const text = { lines, hasCr, end: lines.length }
  if (lines[0]?.startsWith('*** Begin Patch') === true) return readEnvelope({ ...text, within: 'envelope' }, 0)
  return readDiffs({ ...text, within: 'fence' }, 0, path)
}

/** The edits of a file that the coder gives as a diff; all of its diffs are of that file. */
function diffEdits(file: CoderFile, path: string, line: number): Pick<ReadReply, 'diffs' | 'problems'> {
  const { diffs, problems } = readDiffText(path, file.content)
  if (diffs.length + problems.length === 0) {
    return { diffs: [], problems: [problemOf(file, 'malformed', `The diff of ${path} holds no hunk.`, path)] }
  }
  const other = diffs.find(({ oldPath, newPath }) => oldPath !== path && newPath !== path)
  if (other !== undefined) {
    const named = other.newPath ?? other.oldPath ?? 'no file'
    const detail = `The diff under ${path} is of ${named}. Give each file its own entry.`
    return { diffs: [], problems: [problemOf(file, 'bad_path', detail, path)] }
  }
  // The name of the entry is certain; the lines of a header, which could stand inside of the diff before, are not.
  return { diffs: diffs.map(diff => ({ ...diff, header: '', line })), problems }
}

/** Files with a name like one that is not there, in words. */
function hint(path: string, paths: ReadonlySet<string>): string {
  const name = lowerBaseName(path)
  const alike = [...paths].filter(own => lowerBaseName(own) === name).slice(0, MAX_HINTS)
  return alike.length > 0 ? ` Did you mean ${alike.join(', ')}?` : ''
}

/** Why a whole content cannot be the file's; null where it can. */
function whyNotWritten(file: CoderFile, path: string, { paths, whole }: Known): EditProblem | null {
  const exists = paths.has(path)
  if (file.action === 'update' && !exists) {
    const detail = `There is no file ${path}.${hint(path, paths)} A new file needs the action "create".`
    return problemOf(file, 'no_such_file', detail, path)
  }
  if (exists && !whole.has(path)) return problemOf(file, 'malformed', notWhole(path), path)
  if (exists && file.content.trim() === '') {
    const detail = `The content of ${path} is empty. To take the file away use the action "delete".`
    return problemOf(file, 'malformed', detail, path)
  }
  if (file.content.includes(NUL) || !file.content.isWellFormed()) {
    return problemOf(file, 'malformed', `The content of ${path} holds characters that no text has.`, path)
  }
  return null
}

/** A whole content as edits take it; the ends of its lines become those of the file, where there is one. */
function blockOf(path: string, content: string, { line, exists }: { line: number; exists: boolean }): FileBlock {
  const text = exists && !/(?<!\r)\n/.test(content) ? content.replaceAll('\r\n', '\n') : content
  const isEnded = text === '' || text.endsWith('\n')
  return { path, content: isEnded ? text : `${text}\n`, named: 'line', line, ...(exists ? {} : { isNew: true }) }
}

function deletion(file: CoderFile, path: string, { line, known }: { line: number; known: Known }): Partial<ReadReply> {
  if (known.paths.has(path)) {
    return { diffs: [{ header: '', oldPath: path, newPath: null, stripped: false, kind: 'delete', hunks: [], line }] }
  }
  if (known.gone.has(path)) return {}
  const detail = `There is no file ${path} to delete.${hint(path, known.paths)}`
  return { problems: [problemOf(file, 'no_such_file', detail, path)] }
}

/** The edits of one file of an answer. */
function editsOf(sent: CoderFile, path: string, { line, known }: { line: number; known: Known }): Partial<ReadReply> {
  if (sent.action === 'delete') return deletion(sent, path, { line, known })
  const file = { ...sent, content: unfenced(path, sent.content) }
  if (isDiff(path, file)) return diffEdits(file, path, line)
  const problem = whyNotWritten(file, path, known)
  if (problem !== null) return { problems: [problem] }
  return { files: [blockOf(path, file.content, { line, exists: known.paths.has(path) })] }
}

/** Files that an answer names more than once, unless each time with a diff. */
function namedTwice(files: ReadonlyArray<{ path: string | null; file: CoderFile }>): Set<string> {
  const byPath = Map.groupBy(files, ({ path }) => path ?? '')
  const isTwice = ([path, own]: [string, typeof files]): boolean =>
    path !== '' && own.length > 1 && !own.every(({ file }) => file.action !== 'delete' && isDiff(path, file))
  return new Set([...byPath].filter(isTwice).map(([path]) => path))
}

/**
 * The files of an answer as edits, each of which is one, or a problem. A `create` of a file that is there is read as an
 * `update`, which has to prove itself as any other; an `update` or `delete` of one that is not there is refused, as it
 * may mean another file.
 *
 * @param thinking - Its lines `REMOVED path: …` and `KEPT path` are heeded, as those beside blocks are.
 */
export function editsOfFiles(files: readonly CoderFile[], thinking: string, known: Known): ReadReply {
  const reply = emptyReply()
  const { removals, kept } = remarksIn(thinking.split('\n'), [])
  Object.assign(reply, { removals, kept })
  const named = files.map(file => ({ file, path: safePath(file.path) }))
  const twice = namedTwice(named)
  for (const [line, { file, path }] of named.entries()) {
    if (path === null) {
      reply.problems.push(badPathProblem(file.path, file.content.slice(0, MAX_CHARS_SHOWN)))
    } else if (twice.has(path)) {
      // once for all of them, as one entry is what is asked for
      if (named.findIndex(other => other.path === path) === line) {
        reply.problems.push(problemOf(file, 'malformed', `The answer names ${path} more than once.`, path))
      }
    } else {
      const edits = editsOf(file, path, { line, known })
      reply.files.push(...(edits.files ?? []))
      reply.diffs.push(...(edits.diffs ?? []))
      reply.problems.push(...(edits.problems ?? []))
    }
  }
  return reply
}

/** A reply of other edits without whole files that nobody who was not shown them could write. */
export function withoutUnseen(reply: ReadReply, { paths, whole }: Known): ReadReply {
  const unseen = ({ path, isNew = false }: FileBlock): string | undefined => {
    if (paths.has(path)) return whole.has(path) ? undefined : path
    if (isNew) return undefined
    const name = lowerBaseName(path)
    return [...paths].find(own => lowerBaseName(own) === name && own.endsWith(path) && !whole.has(own))
  }
  const problems = reply.files.flatMap(file => {
    const path = unseen(file)
    if (path === undefined) return []
    return [replyProblem('malformed', notWhole(path), { path, text: file.content.slice(0, MAX_CHARS_SHOWN) })]
  })
  return {
    ...reply,
    files: reply.files.filter(file => unseen(file) === undefined),
    perhaps: reply.perhaps.filter(({ file }) => unseen(file) === undefined),
    problems: [...reply.problems, ...problems],
  }
}
