import type { CleanText } from '../../layout/clean.ts'
import { codeFrameLine } from '../compilers/code-frame.ts'
import { errorFrom } from './node-error.ts'
import { nodeFrame } from './node-frame.ts'
import type { Failure, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt, skipBlank } from '../../lines.ts'
import type { TraceReader } from '../../trace-reader.ts'

const WEBPACK =
  /^(?:\[\w{1,20}\] )?(ERROR|WARNING) in (\S.{0,2000}?)(?:(?: |:)(\d{1,9}):(\d{1,9})(?:-\d{1,9}(?::\d{1,9})?)?|\((\d{1,9}),(\d{1,9})\):?)?$/
const ESBUILD = /^\s{0,4}(?:[\u2718\u2717X] \[ERROR\]|[\u25B2!] \[(WARNING)\]) (.{1,2000})$/
const ESBUILD_PLACE = /^\s{2,8}(\S.{0,2000}?):(\d{1,9}):(\d{1,9}):$/
const PLACE_IN_MESSAGE = /\((\d{1,9}):(\d{1,9})\)/
const FILE_LIKE = /\.\w{1,8}(?:[?#].*)?$/
const MAX_MESSAGE = 30
const UNRESOLVED =
  /\b(?:Unable to resolve|Cannot find|Could not resolve|Failed to resolve|Can't resolve|Module not found)\b.{1,2000} (?:from|in) ['"`]?([^\s'"`]{1,1000}\.[cm]?[jt]sx?|[^\s'"`]{1,1000}\.(?:vue|svelte|astro))['"`]?[:.]?\s*$/

function failure(isAside: boolean, message: string[], frame: RawFrame, next: number): Failure {
  return { exceptions: [{ ...errorFrom(message), relation: isAside ? 'separate' : 'root', frames: [frame] }], next }
}

function messageBelow(text: CleanText, at: number): { message: string[]; code: string | null; next: number } {
  const message: string[] = []
  let code: string | null = null
  let next = at
  for (; next < at + MAX_MESSAGE && next < text.lines.length; next++) {
    const line = lineAt(text.lines, next)
    const frame = codeFrameLine(line)
    if (frame?.isMarked === true) code = frame.text.trim() || null
    if (line.trim() === '' || WEBPACK.test(line)) break
    // What the resolver tried is indented below the message.
    if (frame === null && (message.length === 0 || !line.startsWith(' '))) message.push(line.trim())
  }
  return { message, code, next }
}

function readWebpack(text: CleanText, at: number, match: RegExpExecArray, floor: number): Failure | null {
  const [, severity, request = ''] = match
  const file = request.slice(request.lastIndexOf('!') + 1)
  if (!FILE_LIKE.test(file)) return null
  const { message, code, next } = messageBelow(text, at + 1)
  const place = PLACE_IN_MESSAGE.exec(message.join('\n'))
  const line = match[3] ?? match[5] ?? place?.[1]
  const column = match[4] ?? match[6] ?? place?.[2]
  const frame = newFrame(match[0], {
    file,
    line,
    column,
    sourceText: code,
  })
  return failure(severity === 'WARNING' && floor > 0, message, frame, next)
}

function readEsbuild(text: CleanText, at: number, match: RegExpExecArray, floor: number): Failure | null {
  const next = skipBlank(text.lines, at + 1, 2)
  const place = ESBUILD_PLACE.exec(lineAt(text.lines, next))
  if (place === null) return null
  const code = codeFrameLine(lineAt(text.lines, next + 1))
  const frame = newFrame(lineAt(text.lines, next).trim(), {
    file: place[1],
    line: place[2],
    column: place[3],
    sourceText: code?.text.trim() || null,
  })
  return failure(match[1] === 'WARNING' && floor > 0, [match[2] ?? ''], frame, next + (code === null ? 1 : 2))
}

/** An import that leads nowhere, with the code around it and no stack: the file is named in the message. */
function readUnresolved(text: CleanText, at: number, file: string): Failure | null {
  let next = at + 1
  let marked: { line: number; text: string } | null = null
  let end = at + 1
  for (; next < at + MAX_MESSAGE && next < text.lines.length; next++) {
    const line = lineAt(text.lines, next)
    if (nodeFrame(line) !== null) return null
    const code = codeFrameLine(line)
    if (code === null && marked !== null && line.trim() !== '') break
    if (code === null) continue
    end = next + 1
    if (code.isMarked && code.line !== null) marked = { line: code.line, text: code.text }
  }
  if (marked === null) return null
  const frame = newFrame(lineAt(text.lines, at).trim(), {
    file,
    line: marked.line,
    sourceText: marked.text.trim() || null,
  })
  return failure(false, [lineAt(text.lines, at).trim()], frame, end)
}

/**
 * Reads the build errors of webpack and esbuild: a file, a place in it where they know one, the message and the code.
 */
export const bundlers: TraceReader = {
  language: 'javascript',
  opens: ['ERROR in ', 'WARNING in ', '[ERROR]', '[WARNING]', ' resolve', 'Cannot find', 'not found'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    const webpack = /\b(?:ERROR|WARNING) in /.test(line.slice(0, 40)) ? WEBPACK.exec(line) : null
    if (webpack !== null) return readWebpack(text, at, webpack, floor)
    const esbuild = line.includes('] ') ? ESBUILD.exec(line) : null
    if (esbuild !== null) return readEsbuild(text, at, esbuild, floor)
    const unresolved =
      line.includes('resolve') || line.includes(' find') || line.includes('not found')
        ? UNRESOLVED.exec(line)?.[1]
        : undefined
    return unresolved === undefined ? null : readUnresolved(text, at, unresolved)
  },
}
