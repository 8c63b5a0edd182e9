import type { RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'

/** A numbered row of a Swift stack. */
interface SwiftRow {
  number: number
  frame: RawFrame
}

const APPLE =
  /^(\d{1,4})\s{1,8}(\S.{0,80}?)\s{1,60}(0x[0-9a-fA-F]{1,16})\s(.+?)(?: \(([^():]{1,300}):(\d{1,18})\))?(?: \[inlined\])?$/
const CRASH =
  /^(?:\u2502 )?(\d{1,4})(?: \[\w{1,10}\])*\s{1,40}(?:(?:0x)?[0-9a-f]{8,16} )?(\S.*?) in (\S{1,200})(?: at (\S.*?)(?::(\d{1,9}))?(?::(\d{1,9}))?)?$/
const OFFSET = / \+ \d{1,18}$/
const WRAPPERS =
  /^(?:(?:closure|implicit closure|autoclosure|defer|init) #\d{1,4} in |specialized |static |@objc |@nonobjc |merged |partial apply for |reabstraction thunk helper .* |protocol witness for |generic specialization .* of |outlined .* of |function signature specialization .* of )/
const ACCESSOR = /\.(?:getter|setter|modify|read|didset|willset|unsafeAddressor|unsafeMutableAddressor|init)$/

/** `closure #1 in Cart.total(of:)` → `Cart.total`; methods of Objective-C stay as they are. */
export function swiftName(printed: string): string | null {
  if (/^[-+]\[/.test(printed)) return printed
  if (printed.startsWith('thunk for ')) return null
  let name = printed
  for (let round = 0; round < 8 && WRAPPERS.test(name); round++) name = name.replace(WRAPPERS, '')
  const local = / #\d{1,4} (?:<.*> )?\(.*\) in /.exec(name)
  const bare = (local === null ? name : name.slice(0, local.index))
    .replace(/ in conformance .*$/, '')
    .replace(ACCESSOR, '')
  const open = bare.indexOf('(')
  return (open > 0 ? bare.slice(0, open) : bare).replace(/<[^<>]{0,300}>$/, '').trim() || null
}

/** `5  TVS  0x87728 LineChart.highlight(_:) + 295 (LineChart.swift:295)` */
function appleRow(raw: string): SwiftRow | null {
  const match = APPLE.exec(raw)
  if (match === null || / in \S+ at /.test(match[4] ?? '') || (match[2] ?? '').startsWith('[')) return null
  const name = (match[4] ?? '').replace(OFFSET, '')
  const file = match[5] === undefined || match[5].startsWith('<') ? null : match[5]
  return {
    number: Number(match[1]),
    frame: newFrame(raw, {
      function: /^0x[0-9a-f]+$/.test(name) ? null : swiftName(name),
      file,
      line: file === null ? null : Number(match[6]),
    }),
  }
}

/** `1 [ra] 0x00005b crashMe() + 12 in crash at /src/crash.swift:8:3` */
function crashRow(raw: string): SwiftRow | null {
  const match = CRASH.exec(raw)
  if (match === null) return null
  const [, number, called = '', , file, line, column] = match
  if (line === undefined && !/ \+ \d+ in /.test(raw)) return null
  const place = line === undefined ? {} : { file, line }
  return {
    number: Number(number),
    frame: newFrame(raw, { function: swiftName(called.replace(OFFSET, '')), ...place, column }),
  }
}

/** One row of a crash report of Apple's or of Swift's own backtraces; null for another line. */
export function swiftRow(line: string): SwiftRow | null {
  const raw = line.trim()
  const first = raw.charCodeAt(0)
  if ((!(first >= 48 && first <= 57) && first !== 0x2502) || !(raw.includes('0x') || raw.includes(' in '))) return null
  return appleRow(raw) ?? crashRow(raw)
}
