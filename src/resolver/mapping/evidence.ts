import type { Frame } from '../../core/frame.ts'
import { lineOf } from '../code/code-line.ts'
import { definitionsAmong, hasWord, isInside, isInsideDefinition, linesWith } from '../code/definitions.ts'
import { functionParts } from '../code/function-name.ts'
import type { FileTexts } from '../code/file-texts.ts'
import type { IndexedFile } from '../code/file-index.ts'
import type { SourceLines } from '../code/source-lines.ts'

/** What a file's text says about being the file of a frame; null where the frame printed nothing to compare. */
interface Evidence {
  line: 'exists' | 'missing' | null
  code: 'here' | 'elsewhere' | 'absent' | null
  function: 'around' | 'defined' | 'named' | 'absent' | null
  /** The sum of both sides; 0 when nothing is known. */
  score: number
}

const MIN_CODE_CHARS = 6 // `}` and `pass` stand everywhere
const LINE_SCORES = { exists: 0, missing: -3 } as const
const CODE_SCORES = { here: 6, elsewhere: 4, absent: -3 } as const
const FUNCTION_SCORES = { around: 5, defined: 3, named: 1, absent: -3 } as const
const OWNER_SCORE = 1 // a class is named wherever it is used
const NOTHING: Evidence = { line: null, code: null, function: null, score: 0 }

function codeEvidence(
  sourceText: string | null,
  at: number | null,
  lines: SourceLines,
  text: string,
): Evidence['code'] {
  const code = sourceText?.split('\n', 1)[0]?.trim() ?? ''
  if (at !== null && code !== '' && lines.line(at - 1)?.trim() === code) return 'here'
  if (code.length < MIN_CODE_CHARS) return null
  return text.includes(code) ? 'elsewhere' : 'absent'
}

function lineEvidence(at: number | null, lines: SourceLines): Evidence['line'] {
  if (at === null) return null
  return at >= 1 && at <= lines.length ? 'exists' : 'missing'
}

function functionEvidence(printed: string | null, at: number | null, lines: SourceLines): Evidence['function'] {
  const name = functionParts(printed)?.name
  if (name === undefined) return null
  // Nearly every frame of a trace: the rest of the file need not be looked through.
  if (at !== null && isInsideDefinition(lines, at, name)) return 'around'
  const holding = linesWith(lines, name)
  if (!holding.some(line => hasWord(lines.line(line - 1) ?? '', name))) return 'absent'
  const isDefined = definitionsAmong(holding, lines, name).length > 0
  if (isDefined && at !== null && isInside(lines, at, name)) return 'around'
  return isDefined ? 'defined' : 'named'
}

/** Compares a frame with one file. Cost: one pass over the text for each new function name. */
export function evidenceIn(
  { repository, path }: IndexedFile,
  frame: Pick<Frame, 'line' | 'sourceText' | 'function'>,
  texts: FileTexts,
): Evidence {
  const text = texts.text(repository, path)
  if (text === null) return { ...NOTHING, line: 'missing', score: LINE_SCORES.missing }
  const lines = texts.lines(repository, path)
  const at = lineOf(frame.line, path, text)
  const line = lineEvidence(at, lines)
  const code = codeEvidence(frame.sourceText, line === 'exists' ? at : null, lines, text)
  const named = functionEvidence(frame.function, line === 'exists' ? at : null, lines)
  const owner = functionParts(frame.function)?.owner ?? null
  const score =
    (owner !== null && hasWord(text, owner) ? OWNER_SCORE : 0) +
    (line === null ? 0 : LINE_SCORES[line]) +
    (code === null ? 0 : CODE_SCORES[code]) +
    (named === null ? 0 : FUNCTION_SCORES[named])
  return { line, code, function: named, score }
}

/** Whether something that the frame printed is in the file. */
export const isConfirmed = ({ code, function: name }: Evidence): boolean =>
  code === 'here' ||
  code === 'elsewhere' ||
  name === 'around' ||
  name === 'defined' ||
  (name === 'named' && code === null)

/**
 * Whether nothing that the frame printed is in the file: sources change, but when the path is in doubt, too, it is
 * another file.
 */
export const isDoubtful = (evidence: Evidence): boolean =>
  !isConfirmed(evidence) && (evidence.code === 'absent' || evidence.function === 'absent')

/** Whether the file does not even have the line: then an equal path is a coincidence. */
export const isContradicted = (evidence: Evidence): boolean => !isConfirmed(evidence) && evidence.line === 'missing'
