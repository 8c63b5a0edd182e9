import { nativeName } from './native-name.ts'
import type { RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'

/** A row of a native stack. */
export interface NativeRow {
  /** Position in the stack as printed; null where rows are not numbered. */
  number: number | null
  frame: RawFrame
  /** Whether the row is one of a native stack even when it stands alone: other runtimes number their rows, too. */
  isSure: boolean
}

const NUMBERED =
  /^(?:\* )?(?:frame )?#(\d{1,5}):?\s{1,12}(?:(0x[0-9a-fA-F]{1,16}|[0-9a-f]{16})(?:: | (?:in )?|$))?(.*)$/
const HASHED = /^(\d{1,4})# (.+)$/
const CHECKED = /^(?:at|by) 0x[0-9A-F]{1,16}: (.+)$/
const LOADED = /^@\s{1,8}(?:0x)?([0-9a-f]{6,16})(?:\s{1,8}(.*))?$/
const RAW_SYMBOL = /^(\/?[^\s()]{1,500})\(([^()+\s]{0,2000})(?:\+0x[0-9a-f]{1,16})?\) ?\[0x[0-9a-f]{1,16}\]$/
const WALKED = /^(\d{1,4}) {2}(\S[^!]{0,100})!(.+?)(?: \[(.{1,500}?) : (\d{1,9}) \+ 0x[0-9a-f]{1,8}\])?$/
const UNNAMED = /^(\d{1,4}) {2}(\S.{0,100}?) \+ 0x[0-9a-f]{1,16}$/
const WINDBG =
  /^(?:[0-9a-f]{2,3} )?(?:(?:[0-9a-f`]{8,17}|\(Inline\)|-{8,17}|:)\s{1,8}){1,9}([\w.-]{1,100}!.+?)(?:\+0x[0-9a-f]{1,16})?(?: \[(.{1,500}) @ (\d{1,9})\])?$/
const STUDIO =
  /^>?\s{0,4}([\w.-]{1,100}\.(?:exe|dll|so)!.+?) Line (\d{1,9})(?: \+ 0x[0-9a-f]{1,8} bytes)?(?:\s{1,8}(?:C\+\+|C|Unknown))?$/
const SOURCE =
  /^#(\d{1,5})\s{1,8}(?:Source|Object) "([^"]{1,1000})", (?:line (\d{1,9}), )?(?:at 0x[0-9a-f]{1,16}, )?in (.+)$/
const MODULE = /\+ ?0x[0-9a-f]{1,16}$|^[\w./+-]{1,300}\.so[\w.]{0,40}$|^BuildId: [0-9a-f]{1,64}$/
const MODULE_ENDS = /(?:\+ ?0x[0-9a-f]{1,16}|\.so[\w.]{0,40}|BuildId: [0-9a-f]{1,64})\)$/
const MAX_MODULE_END = 80
const INLINED = ' [inlined] '
const OFFSET = / \+ \d{1,9}$/
const PLACE_END = /:(\d{1,9})(?::(\d{1,9}))?$/
const FILE_END = / ([\w.+/-]{1,300}\.(?:c|cc|cpp|cxx|c\+\+|m|mm))$/i
const DISCRIMINATOR = / \(discriminator \d{1,9}\)$/

/** Without the library, or the build of it, that stands in the last brackets. */
function withoutModule(text: string): string {
  // Before the brackets are counted, since arguments end with one, too.
  if (!text.endsWith(')') || !MODULE_ENDS.test(text.slice(-MAX_MODULE_END))) return text
  let depth = 0
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === ')') depth++
    else if (text[at] === '(' && --depth === 0) {
      return (at === 0 || text[at - 1] === ' ') && MODULE.test(text.slice(at + 1, -1))
        ? text.slice(0, Math.max(0, at - 1))
        : text
    }
  }
  return text
}

function withoutInlined(name: string): string {
  const at = name.lastIndexOf(INLINED)
  return (at === -1 ? name : name.slice(at + INLINED.length)).trim()
}

/**
 * Where the path begins that ends a text: at the last ` /` or drive, for paths may hold spaces, else at the last space.
 */
function pathStart(text: string): number {
  const drive = / (?=[A-Za-z]:[\\/][^:]*$)/.exec(text.slice(-500))
  if (drive !== null) return text.length - Math.min(500, text.length) + drive.index
  const absolute = text.lastIndexOf(' /')
  return absolute !== -1 ? absolute : text.lastIndexOf(' ')
}

/**
 * What stands behind the address: `name (a=1) at file:1`, `name(int) file:1:2`, `module\`name at file:1:2`, `name
 * (lib.so+0x1)`.
 */
export function placeOf(text: string): Place {
  const called = withoutModule(text)
  const hasModule = called.length < text.length
  const bare = withoutModule(called).replace(DISCRIMINATOR, '')
  const tick = bare.indexOf('`')
  const plain = tick > 0 && !bare.slice(0, tick).includes('(') ? bare.slice(tick + 1) : bare
  const end = PLACE_END.exec(plain)
  const nothing = { file: null, line: null, column: null, isCalled: false, hasModule }
  const unnumbered = end === null ? FILE_END.exec(plain) : null
  if (unnumbered !== null) {
    return {
      ...nothing,
      function: nativeName(withoutInlined(plain.slice(0, unnumbered.index))),
      file: unnumbered[1] ?? null,
    }
  }
  if (end === null) {
    return {
      ...nothing,
      function: nativeName(withoutInlined(plain.replace(/ (?:from|in) \/?\S+$/, '').replace(OFFSET, ''))),
    }
  }
  const head = plain.slice(0, end.index)
  const isGdb = head.lastIndexOf(' at ')
  const split = isGdb !== -1 ? isGdb : pathStart(head)
  const file = head.slice(split + (isGdb !== -1 ? 4 : 1)).trim()
  if (file === '' || file === '??' || file === '<null>') {
    return { ...nothing, function: nativeName(withoutInlined(head.slice(0, Math.max(0, split)))) }
  }
  const name = head.slice(0, Math.max(0, split)).replace(OFFSET, '')
  return {
    ...nothing,
    function: nativeName(withoutInlined(name)),
    file,
    line: Number(end[1]),
    column: end[2] === undefined ? null : Number(end[2]),
    isCalled: isGdb !== -1 && name.includes('('),
  }
}

function numberedRow(raw: string): NativeRow | null {
  const match = NUMBERED.exec(raw)
  if (match === null) return null
  const rest = match[3] ?? ''
  const place = placeOf(rest)
  const hasAddress = match[2] !== undefined
  const isSure = hasAddress || (place.file !== null && place.isCalled) || place.hasModule
  const isRow = isSure || /^(?:<signal handler called>|<null>)/.test(rest) || /[),(]$/.test(rest) || place.file !== null
  if (!isRow || /^\[|^[/\w.-]+\(\d+\): /.test(rest)) return null
  return {
    number: Number(match[1]),
    isSure,
    frame: newFrame(raw, { function: place.function, file: place.file, line: place.line, column: place.column }),
  }
}

/** backward-cpp: `#5 Source "main.cpp", line 12, in main`. */
function sourceRow(raw: string): NativeRow | null {
  const match = SOURCE.exec(raw)
  if (match === null) return null
  const [, number, file, line, name = ''] = match
  const place = line === undefined ? {} : { file, line }
  return { number: Number(number), isSure: true, frame: newFrame(raw, { function: nativeName(name), ...place }) }
}

/** boost::stacktrace: ` 2# acme::sell(int) at main.cpp:12` or ` in ./shop`. */
function hashedRow(raw: string): NativeRow | null {
  const match = HASHED.exec(raw)
  if (match === null) return null
  const { function: name, file, line, column } = placeOf(match[2] ?? '')
  return {
    number: Number(match[1]),
    isSure: true,
    frame: newFrame(raw, { function: name?.startsWith('0x') === true ? null : name, file, line, column }),
  }
}

/** valgrind: `by 0x10ACD3: acme::sell(int) (main.cpp:12)`. */
function checkedRow(raw: string): NativeRow | null {
  const rest = CHECKED.exec(raw)?.[1]
  if (rest === undefined) return null
  const place = / \(([^()]{1,300}):(\d{1,9})\)$/.exec(rest)
  const name = nativeName(rest.replace(/ \([^()]*\)$/, ''))
  return {
    number: raw.startsWith('at ') ? 0 : null,
    isSure: true,
    frame: newFrame(raw, { function: name, file: place?.[1], line: place === null ? null : Number(place[2]) }),
  }
}

/** folly, glog and absl: `@ 000000000058190c folly::handle(int)`; the place, if any, stands on the next line. */
function loadedRow(raw: string): NativeRow | null {
  const match = LOADED.exec(raw)
  if (match === null) return null
  const name = (match[2] ?? '').replace(/^\d{1,9} {1,4}(?=\S)/, '')
  return { number: null, isSure: true, frame: newFrame(raw, { function: nativeName(name) }) }
}

/** `backtrace_symbols` of glibc: `./shop(_ZN4acme4sellEv+0x12) [0x55d0]`. */
function symbolRow(raw: string): NativeRow | null {
  const symbol = raw.endsWith(']') ? RAW_SYMBOL.exec(raw)?.[2] : undefined
  if (symbol === undefined) return null
  return { number: null, isSure: true, frame: newFrame(raw, { function: nativeName(symbol) }) }
}

/** Breakpad: ` 4  libbase.so!base::Run(int) [run.cc : 12 + 0x5]`; a row without a symbol names only the module. */
function walkedRow(raw: string): NativeRow | null {
  const match = WALKED.exec(raw)
  const unnamed = match === null ? UNNAMED.exec(raw)?.[1] : undefined
  if (unnamed !== undefined) return { number: Number(unnamed), isSure: true, frame: newFrame(raw, {}) }
  if (match === null) return null
  return {
    number: Number(match[1]),
    isSure: true,
    frame: newFrame(raw, {
      function: nativeName(match[3] ?? ''),
      file: match[4],
      line: match[5],
    }),
  }
}

const symbolOf = (symbol: string): string | null => nativeName(symbol.slice(symbol.indexOf('!') + 1))

/** Debuggers of Windows: `00 0019f8d8 00401234 app!main+0x12 [d:\src\main.cpp @ 42]` and `app.exe!main() Line 42`. */
function windowsRow(raw: string): NativeRow | null {
  const [, debugged, file, line] = WINDBG.exec(raw) ?? []
  if (debugged !== undefined) {
    return { number: null, isSure: true, frame: newFrame(raw, { function: symbolOf(debugged), file, line }) }
  }
  const studio = raw.includes(' Line ') ? STUDIO.exec(raw) : null
  if (studio === null) return null
  const [, symbol = '', number] = studio
  return { number: null, isSure: true, frame: newFrame(raw, { function: symbolOf(symbol), line: number }) }
}

/**
 * One row of a native stack: of gdb, lldb, the sanitizers, valgrind, symbolizers and crash reporters; null for another
 * line.
 */
export function nativeRow(line: string): NativeRow | null {
  const raw = line.trim().replace(/^==\d{1,10}== {0,8}/, '')
  if (raw.length < 4) return null
  const first = raw.charCodeAt(0)
  if (raw[0] === '#' || raw[0] === 'f' || raw[0] === '*') return sourceRow(raw) ?? numberedRow(raw)
  if (raw[0] === '@') return loadedRow(raw)
  const isDigit = first >= 48 && first <= 57
  if (isDigit) return hashedRow(raw) ?? walkedRow(raw) ?? windowsRow(raw)
  return checkedRow(raw) ?? symbolRow(raw) ?? windowsRow(raw)
}

interface Place {
  function: string | null
  file: string | null
  line: number | null
  column: number | null
  /** Whether a function with brackets stands before `at file:line`, as gdb prints it. */
  isCalled: boolean
  hasModule: boolean
}
