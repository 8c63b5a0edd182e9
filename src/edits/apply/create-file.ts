import { replyProblem, type EditReason, type FileDiff, type Hunk } from '../edit.ts'
import { textOf } from './diff-target.ts'
import { elisionTest } from '../parts/elision.ts'
import { meantPath } from './mention.ts'
import { blockedProblem, done, refused, type Outcome } from './outcome.ts'
import { lostSecret, placeholderLine } from './placeholders.ts'
import type { Workspace } from './workspace.ts'

const MAX_LINE_CHARS = 80

/**
 * The text of a new file; null when the hunks show lines of a file that is there. Blank lines often lack their "+", and
 * sometimes all lines do.
 */
function newContent(hunks: readonly Hunk[]): string | null {
  const lines = hunks.flatMap(hunk => (hunk.doubtfulTail === 0 ? hunk.lines : hunk.lines.slice(0, -hunk.doubtfulTail)))
  const isBare = lines.every(({ kind }) => kind === ' ')
  if (!isBare && lines.some(({ kind, raw }) => kind === '-' || (kind === ' ' && raw.trim() !== ''))) return null
  const isMixed = lines.some(({ hasCr }) => hasCr)
  const texts = lines.map(({ kind, text, raw }) => {
    if (isBare) return raw
    return kind === '+' ? text : ''
  })
  const ends = lines.map(({ hasCr }): string => (isMixed && hasCr ? '\r\n' : '\n'))
  if (lines.at(-1)?.noNewline === true) ends[ends.length - 1] = ''
  return texts.map((text, i) => text + (ends[i] ?? '')).join('')
}

/** What is wrong with a new file that is not all of it. */
const leftOut = (path: string, line: string): string =>
  `${path} is a new file, and this line stands for something that is left out: ` +
  `${JSON.stringify(line.trim().slice(0, MAX_LINE_CHARS))}. Write all of the file.`

/** Writes a file that is not there, unless its place is taken or it lacks secrets. */
export function makeFile(
  { path, content, text }: { path: string; content: string; text: string },
  workspace: Workspace,
): Outcome {
  if (workspace.isBlocked(path)) return refused(blockedProblem(path, text))
  const elided = content.split('\n').find(elisionTest(path, []))
  if (elided !== undefined) return refused(replyProblem('malformed', leftOut(path, elided), { path, text }))
  const hidden = placeholderLine(content)
  if (hidden !== undefined) return refused(replyProblem('malformed', lostSecret(hidden), { path, text }))
  workspace.write(path, content)
  return done(path)
}

/** Makes a new file of the hunks of a diff. */
export function createFile(diff: FileDiff, workspace: Workspace): Outcome {
  const spelled = diff.newPath ?? diff.oldPath ?? ''
  const meant = meantPath(spelled, workspace)
  const path = 'path' in meant ? meant.path : spelled
  const text = textOf(diff.hunks)
  const refuse = (reason: EditReason, detail: string): Outcome => refused(replyProblem(reason, detail, { path, text }))
  if ('unclear' in meant) return refuse('no_such_file', meant.unclear)
  const content = newContent(diff.hunks)
  if (content === null) {
    return refuse(
      'malformed',
      `${path} is to be a new file, but its diff removes lines or shows context. ` +
        'Every line of a new file begins with "+".',
    )
  }
  const before = workspace.read(path)
  if (before === content) return done(path, 'already')
  if (before !== undefined) {
    return refuse(
      'malformed',
      `${path} exists already, so it cannot be made from /dev/null. Send a diff against the file that is there.`,
    )
  }
  return makeFile({ path, content, text }, workspace)
}
