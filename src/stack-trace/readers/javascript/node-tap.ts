import type { CleanText } from '../../layout/clean.ts'
import { errorFrom } from './node-error.ts'
import { isScriptPlace, splitLocation } from './node-frame.ts'
import type { ErrorHead, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { indentOf, isBlankAt, lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const STACK = /^(\s{0,60})(?:stack|at): ?(?:[|>][-+\d]{0,2}|'(.{1,2000})')$/
const CALLED = /^(?:async )?(\S.{0,300}?) \((.{1,2000})\)$/
const FIELD = /^\s*(name|error|message): (.*)$/
const NOT_OK = /^\s*not ok \d{1,9} - (.*)$/
const MAX_ROWS = 200
const MAX_LINES_ABOVE = 60

function rowOf(row: string): RawFrame | null {
  const raw = row.replace(/^at /, '')
  const match = CALLED.exec(raw)
  const place = splitLocation(match?.[2] ?? raw)
  if (match === null) {
    return place !== null && (isScriptPlace(place) || place.file.startsWith('node:')) ? newFrame(raw, place) : null
  }
  if (place !== null) return newFrame(raw, { function: match[1], ...place })
  return match[2] === '<anonymous>' || match[2] === 'native' ? newFrame(raw, { function: match[1] }) : null
}

function rowsBelow(lines: string[], at: number, indent: number): { frames: RawFrame[]; next: number } {
  const frames: RawFrame[] = []
  let next = at + 1
  let cut = ''
  for (; next < at + MAX_ROWS; next++) {
    const line = lineAt(lines, next)
    if (line.trim() === '' || indentOf(line) <= indent) break
    const frame = rowOf(`${cut}${line.trim()}`)
    cut = frame === null ? `${line.trim()} ` : '' // a folded text breaks between the name and the place
    if (frame !== null) frames.push(frame)
  }
  return { frames, next }
}

/** A YAML value: in quotes, plain, or a block of deeper lines. */
function blockAt(lines: string[], at: number, value: string, end: number): string {
  if (!/^[|>][-+\d]{0,2}$/.test(value)) return value.replace(/^(['"])(.*)\1$/, '$2')
  const indent = indentOf(lineAt(lines, at))
  let next = at + 1
  while (next < end && (isBlankAt(lines, next) || indentOf(lineAt(lines, next)) > indent)) next++
  return lines
    .slice(at + 1, next)
    .map(line => line.slice(indent + 2))
    .join('\n')
}

/** The fields of the block of diagnostics above, and the title of its test; of several of one name the nearest. */
function fieldsAbove({ lines }: CleanText, floor: number, at: number): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (let above = at - 1; above >= Math.max(floor, at - MAX_LINES_ABOVE); above--) {
    const line = lineAt(lines, above)
    const title = NOT_OK.exec(line)?.[1]
    if (title !== undefined) return values.set('title', title)
    const [, field, value = ''] = FIELD.exec(line) ?? []
    if (field !== undefined && !values.has(field)) values.set(field, blockAt(lines, above, value, at))
  }
  return values
}

/** Name and message in the same block of diagnostics, else the title of the test. */
function errorAbove(text: CleanText, floor: number, at: number): ErrorHead {
  const values = fieldsAbove(text, floor, at)
  const message = values.get('error') ?? values.get('message') ?? values.get('title') ?? ''
  const type = values.get('name')
  return type === undefined ? errorFrom(message.split('\n')) : { type, message: joinMessage([message]) }
}

/** Reads the failures of the Test Anything Protocol, whose diagnostics hold a stack without `at`. */
export const nodeTap: TraceReader = {
  language: 'javascript',
  opens: ['\nstack:', '\nat:'],
  read(text, at, floor) {
    const match = STACK.exec(lineAt(text.lines, at))
    if (match === null) return null
    const [, indent = '', row] = match
    const { frames, next } =
      row === undefined
        ? rowsBelow(text.lines, at, indent.length)
        : { frames: [rowOf(row)].filter(frame => frame !== null), next: at + 1 }
    if (!frames.some(({ file }) => file !== null)) return null
    return { exceptions: [{ ...errorAbove(text, floor, at), relation: 'root', frames: frames.reverse() }], next }
  },
}
