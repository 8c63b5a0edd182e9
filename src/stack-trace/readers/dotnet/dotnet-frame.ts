import { dotnetName } from './dotnet-name.ts'
import { unityFrame } from './unity-frame.ts'
import type { RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'

// The runtime speaks the language of the machine: `at … in a.cs:line 1`, `bei … in a.cs:Zeile 1.`, `в … в a.cs:строка
// 1`.
const START = /^(?:at|bei|\u00E0|en|em|in|w|v|ved|vid|bij|\u0432|\u5728|\u5834\u6240|\uC704\uCE58:) {1,3}/
const LINE = /:(?:[^\s\d:\\/]{1,12} )?(\d{1,9})\.?$/
const IN = /^(?:\[0x[0-9a-f]{1,8}\] )?[^\s.]{1,12} (\S.*)$/
const PATH = /^(?:[A-Za-z]:[\\/]|[\\/]|<|[^\s()]{1,500}$)/
const SPACED_BRACKET = /[^)] \(/
const OFFSET = / \[0x[0-9a-f]{1,8}\]$/
const CALL = /^([\p{L}\p{N}_.<>`+$@|,=\-[\]*& ]{1,1000}?) ?\((.*)\)$/u
const WRAPPER = /^\(wrapper [\w-]{1,40}\) /
const GUID = /^<(?:[0-9a-f#-]+|filename unknown)>$/
// Test runners put the place first, monitors an assembly into the brackets.
const PLACE_FIRST = /^(\S.{0,500}?)\((\d{1,9}),(\d{1,9})\): (at .*)$/
const IN_ASSEMBLY =
  /^at (\S{1,1000}) \([^(),]{1,200}, Version=[\d.]{1,40}, Culture=[^():]{1,300}(?:: ?(.{1,500}):(\d{1,9}))?\)$/
const MAX_BRACKETS = 8

/** A row of a .NET stack. */
interface DotnetFrame {
  frame: RawFrame
  /** Whether the runtime printed where it is: such a line is a frame even when it stands alone. */
  hasPlace: boolean
}

const placedFrame = (frame: RawFrame | null): DotnetFrame | null => (frame === null ? null : { frame, hasPlace: true })

/** `Name(arguments) [0x01] in path:line 12` taken apart; the place is null where only the module is known. */
function splitPlace(body: string): { called: string; file: string | null; line: number | null } | null {
  const end = LINE.exec(body)
  if (end === null) return null
  const head = body.slice(0, end.index)
  let close = head.indexOf(') ')
  for (let tries = 0; close !== -1 && tries < MAX_BRACKETS; tries++) {
    const path = IN.exec(head.slice(close + 2))?.[1]
    if (path !== undefined && PATH.test(path)) {
      const isModule = GUID.test(path)
      return { called: head.slice(0, close + 1), file: isModule ? null : path, line: isModule ? null : Number(end[1]) }
    }
    close = head.indexOf(') ', close + 2)
  }
  return null
}

/** The name in front of the arguments; modifiers and the type of the result may precede it. */
function functionOf(called: string): string | null {
  const call = CALL.exec(called.replace(OFFSET, ''))
  if (call === null || /:\d+$/.test(call[2] ?? '')) return null
  const name = (call[1] ?? '').trimEnd()
  const bracket = name.search(/[<[]/)
  const bare = name.slice(name.lastIndexOf(' ', bracket === -1 ? name.length : bracket) + 1)
  return bare.includes('.') || bare.startsWith('lambda_method') ? bare : null
}

/** A row whose brackets hold the assembly in front of the place. */
function assembledFrame(raw: string): RawFrame | null {
  const match = raw.endsWith(')') ? IN_ASSEMBLY.exec(raw) : null
  if (match === null) return null
  const [, name = '', file, line] = match
  return newFrame(raw, { function: dotnetName(name), file, line })
}

/** A row that begins with the runtime's word for `at`. */
function calledFrame(raw: string, printed: string): DotnetFrame | null {
  const body = printed.replace(WRAPPER, '')
  const placed = splitPlace(body)
  if (placed !== null) {
    const { called, file, line } = placed
    const name = functionOf(called)
    return name === null ? null : placedFrame(newFrame(raw, { function: dotnetName(name), file, line }))
  }
  const name = functionOf(body)
  if (name === null || !(raw.startsWith('at ') || name.includes('.'))) return null
  // V8 puts a space before its brackets
  const mayBeV8 = SPACED_BRACKET.test(body) && !name.startsWith('lambda_method') && !WRAPPER.test(printed)
  return mayBeV8 ? null : { frame: newFrame(raw, { function: dotnetName(name) }), hasPlace: false }
}

function atFrame(raw: string): DotnetFrame | null {
  const start = START.exec(raw)?.[0]
  if (start === undefined) return null
  return placedFrame(assembledFrame(raw)) ?? calledFrame(raw, raw.slice(start.length))
}

/** `src\\CartTest.cs(55,0): at Acme.CartTest.Total()` */
function placeFirst(raw: string): DotnetFrame | null {
  const match = raw.includes('): at ') ? PLACE_FIRST.exec(raw) : null
  if (match === null) return null
  const [, file, line, column, call = ''] = match
  const called = atFrame(call)
  if (called === null) return null
  const place = newFrame(raw, { file, line, column: Number(column) || null })
  return placedFrame({ ...place, function: called.frame.function })
}

/** One line of a .NET stack, or null when it is something else. The function is what the source calls it. */
export function dotnetFrame(line: string): DotnetFrame | null {
  const raw = line
    .trim()
    .replace(/ ?<---$/, '')
    .trimEnd()
  if (START.test(raw)) return atFrame(raw)
  return placeFirst(raw) ?? placedFrame(unityFrame(raw))
}
