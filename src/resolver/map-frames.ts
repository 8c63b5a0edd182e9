import type { Frame, MappedFrame } from '../core/frame.ts'
import { codeLine, lineCount, type SourceOf } from './code-line.ts'
import { fileIndexOf, type IndexedFile } from './file-index.ts'
import { findFile, type FileFacts, type Found, type RootPair } from './find-file.ts'
import { framePath, type FramePath } from './frame-path.ts'

const MIN_COMMON_FOR_ROOT = 2

/**
 * Compares the frames of a trace with the files of a project. Names are looked up in the list; nothing is opened by a
 * path from the trace.
 *
 * @param files - Every file of the published generation.
 * @param sourceOf - Their text, used to settle ties and to find the line.
 */
export function mapFrames (frames: readonly Frame[], files: readonly IndexedFile[], sourceOf: SourceOf): MappedFrame[] {
  const read = remembered(sourceOf)
  const facts: FileFacts = { index: fileIndexOf(files), sourceOf: read.text, lineCount: read.lineCount }
  const paths = new Map<string, FramePath>()
  for (const { file } of frames) if (file !== null && !paths.has(file)) paths.set(file, framePath(file))
  const roots = rootPairs(frames, paths, ({ frame, path }) => findFile(frame, path, facts, []))
  return frames.map((frame) => {
    const path = frame.file === null ? undefined : paths.get(frame.file)
    if (path === undefined) return unmapped(frame, 'the runtime printed no file')
    return mapped(frame, findFile(frame, path, facts, roots), read.lines)
  })
}

function unmapped (frame: Frame, why: string): MappedFrame {
  return { ...frame, inProject: false, repository: null, path: null, codeLine: null, match: 'none', why, candidates: [] }
}

function mapped (frame: Frame, { file, match, why, candidates }: Found, linesOf: (repository: string, path: string) => string[]): MappedFrame {
  if (file === null) return { ...unmapped(frame, why), candidates }
  const { repository, path } = file
  const lines = linesOf(repository, path)
  const line = codeLine(frame, lines)
  return { ...frame, inProject: true, repository, path, codeLine: line, match, why: why + lineNote(frame, line, lines.length), candidates }
}

function lineNote (frame: Frame, line: number | null, count: number): string {
  if (frame.line === null || line === frame.line) return ''
  if (line !== null) return `; the printed code is at line ${line}`
  return frame.line > count ? `; the file has ${count} lines` : '; the printed code is not at this line'
}

/** Stack roots with the source roots that most frames show them to be; the best supported first. */
function rootPairs (frames: readonly Frame[], paths: Map<string, FramePath>, find: (at: { frame: Frame, path: FramePath }) => Found): RootPair[] {
  const votes = new Map<string, { pair: RootPair, count: number }>()
  const seen = new Set<string>()
  for (const frame of frames) {
    const path = frame.file === null ? undefined : paths.get(frame.file)
    if (path === undefined || frame.file === null || path.inLibrary !== null || seen.has(frame.file)) continue
    seen.add(frame.file)
    const { file, match } = find({ frame, path })
    if (file === null || match !== 'suffix') continue
    const pair = rootPairOf(path, file)
    if (pair === null) continue
    const key = JSON.stringify(pair)
    const known = votes.get(key)
    if (known === undefined) votes.set(key, { pair, count: 1 })
    else known.count++
  }
  return [...votes.values()].sort((a, b) => b.count - a.count || b.pair.stackRoot.length - a.pair.stackRoot.length).map(({ pair }) => pair)
}

function rootPairOf (path: FramePath, file: IndexedFile): RootPair | null {
  const stack = path.path.split('/')
  const own = file.path.split('/')
  let common = 0
  while (common < own.length && common < stack.length && own[own.length - 1 - common] === stack[stack.length - 1 - common]) common++
  if (common < Math.min(MIN_COMMON_FOR_ROOT, own.length)) return null
  const prefix = (segments: string[]): string => segments.slice(0, -common).map(segment => `${segment}/`).join('')
  return { stackRoot: `${path.absolute ? '/' : ''}${prefix(stack)}`, sourceRoot: prefix(own), repository: file.repository }
}

/** The files' texts, lines and numbers of lines, each read or counted once. */
function remembered (sourceOf: SourceOf): { text: SourceOf, lines: (repository: string, path: string) => string[], lineCount: FileFacts['lineCount'] } {
  const text = oncePerFile(sourceOf)
  return {
    text,
    lines: oncePerFile((repository, path) => splitLines(text(repository, path) ?? '')),
    lineCount: oncePerFile((repository, path) => lineCount(text(repository, path) ?? '')),
  }
}

function oncePerFile<T> (read: (repository: string, path: string) => T): (repository: string, path: string) => T {
  const known = new Map<string, { value: T }>()
  return (repository, path) => {
    const key = `${repository}\n${path}`
    const entry = known.get(key) ?? { value: read(repository, path) }
    known.set(key, entry)
    return entry.value
  }
}

/** Lines of a text; a final line feed ends the last line and begins none. */
export function splitLines (text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
