import { replyProblem, type EditProblem, type FileBlock } from '../edit.ts'
import { elisionTest } from '../parts/elision.ts'
import type { PartReader } from '../parts/part-reader.ts'
import type { PartReading } from '../parts/read-part.ts'
import { endBeside, likeFile, splitFile } from '../text/file-lines.ts'
import { makeFile } from './create-file.ts'
import { CHARS_PER_WORK, spend } from './line-index.ts'
import { meantPath } from './mention.ts'
import { done, refused, type Outcome } from './outcome.ts'
import { lostSecret, placeholderLine } from './placeholders.ts'
import type { Workspace } from './workspace.ts'

const MAX_CHARS_SHOWN = 2000

/** What is known of the reply that a block stands in. */
interface BlockContext {
  /** The number of edits of each file in the reply, without blocks that say they are a part of it. */
  edited: ReadonlyMap<string, number>
  parts: PartReader
}

/** The content of a block without the comment that names the file, which does not have it. */
function withoutNameLine(content: string, nameLine: string, before: string): string {
  if (before.includes(nameLine.trim())) return content
  const at = content.indexOf(nameLine)
  const end = content.indexOf('\n', at) + 1
  const rest = content.slice(end)
  return content.slice(0, at) + (/^\s/.test(before) ? rest : rest.replace(/^(?:[ \t]*\r?\n)+/, ''))
}

/** How a block stands in its reply. */
interface Shown extends Pick<FileBlock, 'path' | 'named' | 'isShown'> {
  /** Whether the reply edits the file elsewhere. */
  hasOther: boolean
  text: string
}

/** Why a block under a sentence is not written, but taken for an excerpt of the file; null for any other. */
function excerptProblem(part: PartReading, { path, named, isShown, hasOther, text }: Shown): EditProblem | null {
  if (named === 'line' || 'whole' in part) return null
  if ('placed' in part && isShown !== true && !hasOther) return null
  const why = 'refused' in part ? `${part.refused}\n` : ''
  return replyProblem(
    'malformed',
    `${path} exists, and this block looks like a part of it. ${why}Send a unified diff, ` +
      'or the whole file with nothing but its name on the line above the fence.',
    { path, text },
  )
}

/**
 * What a block is that takes back an earlier one of its file: all of it, where it may be that of the file before the
 * reply.
 */
function readAnew(
  read: PartReading,
  { path, content, isCorrection = false }: Pick<FileBlock, 'path' | 'content' | 'isCorrection'>,
  { workspace, parts }: { workspace: Workspace; parts: PartReader },
): PartReading {
  if ('whole' in read || !isCorrection) return read
  const anew = parts.read({ path, before: workspace.original(path) ?? '', content })
  return 'whole' in anew && !content.split('\n').some(elisionTest(path, [])) ? anew : read
}

/** What becomes of a block that is taken for an excerpt. */
function excerptOutcome(
  problem: EditProblem,
  block: FileBlock,
  { lines, hasOther }: { lines: readonly string[]; hasOther: boolean },
): Outcome {
  const { named, isShown = false } = block
  // A part may be a quote, which needs no answer.
  const mayBeQuote = named === 'part' && !isShown
  if (!hasOther && !mayBeQuote) return refused(problem)
  return { applied: [], problems: [], ...(isShown ? {} : { excerpt: { lines, problem } }) }
}

/** Makes the file of a block under a name that no file has. */
function makeNew(block: FileBlock, path: string, workspace: Workspace): Outcome {
  const { content, isOfLines = false } = block
  const text = content.slice(0, MAX_CHARS_SHOWN)
  if (isOfLines) return refused(replyProblem('no_such_file', `There is no file ${path}.`, { path, text }))
  return makeFile({ path, content, text }, workspace)
}

/** Puts a block behind what its file has, where that does not end with it. */
function append(
  { content }: FileBlock,
  { path, before }: { path: string; before: string },
  workspace: Workspace,
): Outcome {
  const hidden = placeholderLine(content)
  if (hidden !== undefined) return refused(replyProblem('malformed', lostSecret(hidden), { path, text: content }))
  const file = splitFile(before)
  const own = likeFile(content, { ...file, bom: '', lines: [] })
  if (before.endsWith(own)) return done(path, 'already')
  const end = before === '' || before.endsWith('\n') ? '' : endBeside(file, file.lines.length)
  workspace.write(path, before + end + own)
  return done(path)
}

/**
 * Writes a whole file, or the definitions of a part of one where their places are certain. What may be an excerpt of a
 * file that exists is not written: it is refused, or, where the reply edits that file elsewhere, left alone as an
 * explanation.
 */
export function applyBlock(block: FileBlock, workspace: Workspace, { edited, parts }: BlockContext): Outcome {
  const { path: spelled, content: sent, named, nameLine, isShown } = block
  const meant = meantPath(spelled, workspace)
  const path = 'path' in meant ? meant.path : spelled
  const before = workspace.read(path)
  const shown = nameLine === undefined || before === undefined ? sent : withoutNameLine(sent, nameLine, before)
  const text = shown.slice(0, MAX_CHARS_SHOWN)
  const refuse = (reason: EditProblem['reason'], detail: string): Outcome =>
    refused(replyProblem(reason, detail, { path, text }))
  if ('unclear' in meant) return refuse('no_such_file', meant.unclear)
  if (before === undefined) return makeNew(block, path, workspace)
  spend(workspace.work, before.length / CHARS_PER_WORK)
  if (block.isAppended === true) return append(block, { path, before }, workspace)
  const file = splitFile(before)
  const { restored: content, lost } = workspace.placeholders.inBlock(shown, before)
  const read = parts.read({ path, before, content, isAnnounced: named === 'part' })
  const part = readAnew(read, { ...block, path, content }, { workspace, parts })
  const hasOther = (edited.get(spelled) ?? 0) > (named === 'part' ? 0 : 1)
  const excerpt = excerptProblem(part, { path, named, isShown, hasOther, text })
  if (excerpt !== null) return excerptOutcome(excerpt, block, { lines: splitFile(content).lines, hasOther })
  if (lost !== undefined) return refuse('malformed', lostSecret(lost))
  if ('refused' in part) return refuse('malformed', part.refused)
  workspace.write(path, 'placed' in part ? part.placed.text : likeFile(content, file))
  return done(path)
}
