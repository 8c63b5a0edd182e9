import type { Frame, MappedFrame } from '../../core/frame.ts'
import { codePlace, definitionOf, lineOf, type CodePlace } from '../code/code-line.ts'
import type { IndexedFile } from '../code/file-index.ts'
import { functionParts } from '../code/function-name.ts'
import { mayBeCompiled } from './compiled-output.ts'
import type { FileMatch } from './file-match.ts'
import { findBySourceMap, type SourcePlace } from './map-source.ts'
import type { Project } from './project.ts'

const BUNDLE_LINES = 200

/** Where a frame's code is, and what a person should know about its line. */
interface MappedLine {
  file: IndexedFile
  match: FileMatch['match']
  line: number | null
  note: string
}

/** A frame that is in no file of the project, and why. */
export function unmapped(frame: Frame, why: string, candidates: string[] = []): MappedFrame {
  return { ...frame, inProject: false, repository: null, path: null, codeLine: null, match: 'none', why, candidates }
}

/** Whether a line is far beyond the end of a script: packages publish bundles under the names of their sources. */
function isOfBundle({ line }: Frame, { repository, path }: IndexedFile, { texts }: Project): boolean {
  return line !== null && mayBeCompiled(path) && line > 2 * texts.lineCount(repository, path) + BUNDLE_LINES
}

/** The note on a line in a file that was chosen by what some frame of it names. */
function symbolNote(frame: Frame, line: number | null): string {
  if (frame.file === null) return line === null ? '' : `; the function begins at line ${line}`
  const name = functionParts(frame.function)?.name
  if (line !== null) return `; ${name ?? 'the function'} begins at line ${line}`
  return name === undefined
    ? '; other frames of the file name its functions, this one none'
    : `; it does not define ${name}, but what another frame of the file names`
}

/** What speaks against the printed line. */
function lineDoubt(frame: Frame, printed: number | null, lineCount: number): string {
  if (printed !== null && printed > lineCount) return `; the file has ${lineCount} lines`
  return frame.sourceText === null ? '; the function is not at this line' : '; the printed code is not at this line'
}

/** The note on a line; empty where the printed line is right. */
function lineNote(frame: Frame, { line, by }: CodePlace, printed: number | null, lineCount: number): string {
  const begins = line === null ? '' : `the function begins at line ${line}`
  if (frame.line === null) return begins === '' ? '' : `; ${begins}`
  if (by === 'line') return line === frame.line ? '' : `; counted without U+2028 and U+2029 it is line ${line}`
  if (by === 'code') return `; the printed code is at line ${line}`
  const doubt = lineDoubt(frame, printed, lineCount)
  if (begins === '') return doubt
  return doubt.startsWith('; the function') ? `${doubt} but begins at line ${line}` : `${doubt}, ${begins}`
}

function lineIn(frame: Frame, { match }: FileMatch, file: IndexedFile, { texts }: Project): MappedLine {
  const lines = texts.lines(file.repository, file.path)
  if (match === 'symbol') {
    const line = definitionOf(frame.function, frame.file === null ? null : frame.line, lines)
    return { file, match, line, note: symbolNote(frame, line) }
  }
  const printed = lineOf(frame.line, file.path, texts.text(file.repository, file.path) ?? '')
  const place = codePlace({ ...frame, line: printed }, lines)
  return { file, match, line: place.line, note: lineNote(frame, place, printed, lines.length) }
}

function lineInSource({ file, map, line, codeLine }: SourcePlace): MappedLine {
  const note = `; ${map} maps it to line ${line}`
  const mapped = { file, match: 'source_map' as const, line: codeLine }
  if (codeLine === line) return { ...mapped, note }
  if (codeLine === null) return { ...mapped, note: `${note}, whose code has changed since` }
  return { ...mapped, note: `${note}, whose code is at line ${codeLine} now` }
}

/** A frame with its line in the file that was found for it, or in the source that the file was compiled from. */
export function mapFrame(frame: Frame, found: FileMatch, project: Project): { frame: MappedFrame; note: string } {
  const { file, match, why, candidates } = found
  if (file === null) return { frame: unmapped(frame, why, candidates), note: '' }
  const source = findBySourceMap(file, frame, project)
  if (source === null && found.isUnindexed === true) {
    return { frame: unmapped(frame, `${why}, whose source map names no source of this project here`), note: '' }
  }
  const place = source === null ? lineIn(frame, found, file, project) : lineInSource(source)
  if (place.line === null && match !== 'override' && isOfBundle(frame, file, project)) {
    const lineCount = project.texts.lineCount(file.repository, file.path)
    const doubt = `but ${file.path} has ${lineCount} lines: what ran is a bundle of that name`
    return { frame: unmapped(frame, `${why}, ${doubt}`, candidates), note: '' }
  }
  const { repository, path } = place.file
  const mapped = { ...frame, inProject: true, repository, path, codeLine: place.line, match: place.match }
  return { frame: { ...mapped, why, candidates }, note: place.note }
}
