import type { CodeInputs } from '../../core/code-tools.ts'
import { FaultlineError } from '../../core/errors.ts'
import { linesOf } from '../code/file-texts.ts'
import { sourceLines, type SourceLines } from '../code/source-lines.ts'
import type { CodeView } from './code-view.ts'
import { findFile, type GivenPlace } from './find-file.ts'
import { firstLines, type Budget } from './page.ts'

/** Lines of a file; `endLine` below `startLine`, and 0, for an empty file. */
interface LinesRead {
  repository: string
  path: string
  startLine: number
  endLine: number
  totalLines: number
  text: string
  nextLine: number | null
  tokens: number
  notice: string | null
}

/** A file that is there, with its lines. */
interface OpenFile {
  repository: string
  path: string
  lines: SourceLines
}

/** @throws {FaultlineError} FILE_NOT_FOUND, BAD_PATH, NOT_FOUND. */
export async function openFile(place: GivenPlace, view: CodeView): Promise<OpenFile> {
  const { repository, path } = findFile(place, view)
  const text = await view.text(repository, path)
  if (text === null) {
    throw new FaultlineError('FILE_NOT_FOUND', `The file ${JSON.stringify(path)} holds no UTF-8 text at this commit.`)
  }
  return { repository, path, lines: text === '' ? sourceLines('') : linesOf(text) }
}

/**
 * The lines that are wanted of a file, checked.
 *
 * @throws {FaultlineError} VALIDATION_FAILED: the file has no such lines, or they end before they begin.
 */
export function rangeIn(
  { path, lines }: OpenFile,
  { startLine = 1, endLine }: { startLine?: number; endLine?: number },
): { startLine: number; endLine: number } {
  const total = lines.text === '' ? 0 : lines.length
  if (endLine !== undefined && endLine < startLine) {
    throw new FaultlineError('VALIDATION_FAILED', `end_line (${endLine}) is before start_line (${startLine}).`)
  }
  if (startLine > Math.max(1, total)) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `${JSON.stringify(path)} has ${total} lines, so none from ${startLine} on.`,
      `Send a start_line from 1 to ${total}.`,
    )
  }
  return { startLine, endLine: Math.min(endLine ?? total, total) }
}

/** Lines of a file, as many as the budget has room for. */
export async function readCode(input: CodeInputs['read_code'], view: CodeView, budget: Budget): Promise<LinesRead> {
  const file = await openFile(input, view)
  const { repository, path, lines } = file
  const totalLines = lines.text === '' ? 0 : lines.length
  const wanted = rangeIn(file, input)
  const { startLine } = wanted
  const whole = lines.slice(startLine - 1, wanted.endLine).join('\n')
  const text = firstLines(whole, budget)
  const endLine = totalLines === 0 ? 0 : startLine + text.split('\n').length - 1
  const isLineCut = text.length < lines.slice(startLine - 1, endLine).join('\n').length
  const nextLine = endLine < wanted.endLine ? endLine + 1 : null
  const said: string[] = []
  if (isLineCut) said.push(`Line ${endLine} is longer than max_tokens allows: only its beginning is shown.`)
  if (nextLine !== null) {
    said.push(`Lines ${startLine} to ${endLine} of ${totalLines} are shown; "start_line": ${nextLine} goes on.`)
  }
  return {
    repository,
    path,
    startLine,
    endLine,
    totalLines,
    text,
    nextLine,
    tokens: budget.countTokens(text) + budget.countTokens(path),
    notice: said.length === 0 ? null : said.join(' '),
  }
}
