import type { CleanText } from '../../layout/clean.ts'
import { codeFrameLine } from '../compilers/code-frame.ts'
import { errorAbove } from './node-error.ts'
import { isScriptPlace, splitLocation } from './node-frame.ts'
import { readCauses } from './node-causes.ts'
import type { Failure, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import type { TraceReader } from '../../trace-reader.ts'

type ReadRow = (line: string) => RawFrame | null

/** A way to print rows: what may begin a stack, and what else may stand in one. */
interface Form {
  begins: ReadRow
  continues: ReadRow
}

const GECKO_NAME = /^(?:[^\s"'`@(){};,]{0,300}|(?:global|module|eval|Function) code|[gs]et \S{1,200})$/
const ASYNC =
  /^(?:async|promise callback|promise reject callback|setTimeout handler|setInterval handler|EventListener\.handleEvent|EventHandlerNonNull|Promise(?:Job)?\w*|requestAnimationFrame callback|generator|then)\*/
const EVALUATED =
  /^(.{1,2000}) line (\d{1,9}) > (?:eval|Function|injectedScript)(?:[ >\w]{0,60})?:\d{1,9}(?::\d{1,9})?$/
const COPIED = /^\s*(\S.{0,300}?)\s{1,8}@\s{1,8}(\S.{0,2000})$/
const REPORTED = /^\s{0,12}[\u276F\u203A]\s{1,4}(?:(\S.{0,300}?) \(?)?([^\s(]{1,2000}?:\d{1,9}:\d{1,9})\)?$/
const CONSOLE = /^\s{1,12}(?:(\S.{0,300}?) )?\((\S{1,1000}), line (\d{1,9})\)$/
const UNNAMED_BUNDLE = /^\s{0,12}([\w$.<>]{1,200})@(\d{1,9}):(\d{1,9})$/
const COMPONENT =
  /^\s{1,12}in ([\w$.<>()[\]]{1,200})(?: \((?:at (.{1,1000}:\d{1,9})|created by .{1,200}|from .{1,300})\))?$/
// Where a copied stack goes on in what scheduled it.
const JOINT =
  /^\s*(?:await in \S{1,200}(?: \(async\))?|\S{1,100} \(async\)|Promise\.\w{1,20}|(?:setTimeout|setInterval|requestAnimationFrame|queueMicrotask))$/
const MAX_LINES_OF_CODE = 12

const never = (): null => null

/** Firefox names a function by its owners: `checkout/<` is an anonymous one in `checkout`. */
const innermost = (name: string): string | null =>
  name
    .replace(/(?<![/<])[/<]+$/, '')
    .split('/')
    .at(-1) || null

// Firefox and Safari: `name@https://…/app.js:12:5`, and engines that print only their own name for native code.
const gecko: Form = {
  begins: line => {
    const at = line.indexOf('@')
    if (at === -1 || at > 400 || line.charAt(at + 1) === ' ') return null
    const name = line.slice(0, at).trim().replace(ASYNC, '')
    if (!GECKO_NAME.test(name)) return null
    const where = line.slice(at + 1).trim()
    const [, file, evaluatedAt] = EVALUATED.exec(where) ?? []
    const place = file === undefined ? splitLocation(where) : { file, line: Number(evaluatedAt), column: null }
    if (place === null || /[\s"'<>]/.test(place.file) || !isScriptPlace(place)) return null
    return newFrame(line.trim(), { function: innermost(name), ...place })
  },
  continues: line => {
    const native = /^\s*(?:([^\s@]{0,200})@)?\[(?:native code|wasm code)\]$/.exec(line)
    return native === null ? null : newFrame(line.trim(), { function: native[1] || null })
  },
}

// What Chrome's console gives when a trace is copied: `name @ app.js:12`.
const copied: Form = {
  begins: line => {
    const match = line.includes(' @ ') || line.includes('\t@\t') ? COPIED.exec(line) : null
    if (match === null) return null
    const [, name, where = ''] = match
    const place = splitLocation(where)
    if (place === null || /\s/.test(place.file) || !isScriptPlace(place)) return null
    return newFrame(line.trim(), { function: name === '(anonymous)' ? null : name, ...place })
  },
  continues: never,
}

// Test runners that draw their own rows: vitest's and ava's.
const reported: Form = {
  begins: line => {
    const [, name, where = ''] = REPORTED.exec(line) ?? []
    const place = splitLocation(where)
    return place === null ? null : newFrame(line.trim(), { function: name, ...place })
  },
  continues: never,
}

function componentRow(line: string): RawFrame | null {
  const match = COMPONENT.exec(line)
  if (match === null) return null
  const [, name, where = ''] = match
  return newFrame(line.trim(), { function: name, ...splitLocation(where) })
}

// React's components, older than those that print a place as V8 does.
const component: Form = {
  begins: line => (line.includes('(at ') ? componentRow(line) : null),
  continues: componentRow,
}

// Safari's console: `name (app.js, line 12)`.
const consoled: Form = {
  begins: line => {
    const match = line.includes(', line ') ? CONSOLE.exec(line) : null
    if (match === null || !isScriptPlace({ file: match[2] ?? '', line: 0, column: null })) return null
    return newFrame(line.trim(), { function: match[1], file: match[2], line: match[3] })
  },
  continues: line =>
    /^\s{1,12}\S{1,200}$/.test(line) && !line.includes(':') ? newFrame(line.trim(), { function: line.trim() }) : null,
}

// React Native's bundle has no name: `name@1:12345`.
const bundled: Form = {
  begins: line => {
    const match = UNNAMED_BUNDLE.exec(line)
    return match === null ? null : newFrame(line.trim(), { function: match[1], line: match[2], column: match[3] })
  },
  continues: line => (/^\s{0,12}\[native code\]$/.test(line) ? newFrame(line.trim(), {}) : null),
}

const FORMS: readonly Form[] = [gecko, copied, reported, component, consoled, bundled]

/** The code that a runner prints below a row; the first line after it. */
function readCode(lines: string[], at: number, frame: RawFrame): number {
  let next = at
  while (next < at + MAX_LINES_OF_CODE) {
    const code = codeFrameLine(lineAt(lines, next))
    if (code === null) break
    if (code.line !== null && code.line === frame.line) frame.sourceText = code.text.trim() || null
    next++
  }
  return next
}

function readRows(text: CleanText, at: number, form: Form): { frames: RawFrame[]; next: number } {
  const frames: RawFrame[] = []
  let next = at
  while (next < text.lines.length) {
    const line = lineAt(text.lines, next)
    const frame = form.begins(line) ?? form.continues(line)
    if (
      frame === null &&
      form === copied &&
      frames.length > 0 &&
      JOINT.test(line) &&
      form.begins(lineAt(text.lines, next + 1)) !== null
    ) {
      next++
      continue
    }
    if (frame === null) break
    frames.push(frame)
    next = form === reported ? readCode(text.lines, next + 1, frame) : next + 1
  }
  return { frames: frames.reverse(), next }
}

function readStack(text: CleanText, at: number, floor: number, form: Form): Failure {
  const error = errorAbove(text, floor, at)
  const { frames, next } = readRows(text, at, form)
  return readCauses(text, { exceptions: [{ ...error, relation: 'root', frames }], next }, begin => {
    return form.begins(lineAt(text.lines, begin)) === null ? null : readRows(text, begin, form)
  })
}

/**
 * Reads rows that browsers other than V8's, consoles, component trees and test runners print. The innermost comes
 * first.
 */
export const browser: TraceReader = {
  language: 'javascript',
  opens: ['@', '(at ', ', line ', '\n\u276F', '\n\u203A'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    for (const form of FORMS) {
      if (form.begins(line) !== null && (form !== bundled || bundled.begins(lineAt(text.lines, at + 1)) !== null)) {
        return readStack(text, at, floor, form)
      }
    }
    return null
  },
}
