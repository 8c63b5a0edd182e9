import { stampLength } from '../../core/log-stamps.ts'
import { CI_MARKER, JOB_STEP, MAIL_QUOTE, POD, SERVICE, XUNIT_CLOCK } from '../../core/log-writers.ts'

/** A piece of a text that a person does not see, or sees as one other character. */
interface HiddenPiece {
  /** Position in the seen text. */
  at: number
  /** Characters that stand for it in the seen text: 0 or 1. */
  shown: number
  raw: string
}

/** A text as a person sees it, and what stands between its characters in the text itself, in order. */
export interface SeenText {
  text: string
  hidden: readonly HiddenPiece[]
}

/** Part of a seen text, and what is to stand there. */
export interface Replacement {
  from: number
  to: number
  by: string
}

const ESCAPE = String.raw`(?:[\u001B\u241B\u2190\uFFFD]|\^\[|#033|\\{1,8}(?:u001[bB]|u\{1[bB]\}|x1[bB]|0?33|e))`
const COLOUR = String.raw`(?:${ESCAPE}\[|\u009B)[0-9;:<=>?]{0,40}[A-Za-z]|\[\d{1,3}(?:;\d{1,3}){0,5}m(?!\])`
const OTHER_ESCAPE = String.raw`\u001B\][^\u0007\u001B\n]*(?:\u0007|\u001B\\)|\u001B[@-Z\\\]^_]`
const CONTROL =
  String.raw`[\0-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u200B-\u200F` +
  String.raw`\u202A-\u202E\u2060\u2066-\u2069\uFEFF]`
const WRITTEN = String.raw`\\{1,8}(?:u(?:00[01][0-9A-Fa-f]|202[A-Ea-e]|206[6-9]|0022|0027)|[nrt"'/])`
const OF_OTHERS =
  String.raw`#01[12](?![0-9A-Fa-f]{3}(?![0-9A-Fa-f]))|%0[aAdD]|<br ?/?>|[\u00A0\u202F]|` +
  '&(?:quot|apos|lt|gt|amp|nbsp|#34|#39|#10|#x22|#x27|#xA);'
const UNSEEN = new RegExp([COLOUR, OTHER_ESCAPE, CONTROL, WRITTEN, OF_OTHERS].join('|'), 'g')
/** Most texts have none of these, so that nothing has to be looked for. */
const MAY_BE_UNSEEN = /[^\t\n\r -~]|[\\&]|\^\[|\[\d|#0|%0|<br/

const SIGNS: ReadonlyArray<readonly [pattern: RegExp, sign: string]> = [
  [/^\\+(?:[nr]|u000[aAdD])$|^#012$|^%0|^<br|^&#(?:10|xA);/, '\n'],
  [/^\\+(?:t|u0009)$|^#011$|^[\u00A0\u202F]|^&nbsp;/, ' '],
  [/"$|^\\+u0022$|^&(?:quot|#34|#x22);/, '"'],
  [/'$|^\\+u0027$|^&(?:apos|#39|#x27);/, "'"],
  [/^\\+\/$/, '/'],
  [/^&lt;/, '<'],
  [/^&gt;/, '>'],
  [/^&amp;/, '&'],
]

const GUTTER = /^ {0,10}(?:>{1,3} {0,10})?\d{1,7} \|(?: |$)/
const ADDED = /^\+(?!\+)/
const PREFIXES = [GUTTER, SERVICE, POD, JOB_STEP, CI_MARKER, XUNIT_CLOCK, MAIL_QUOTE, ADDED]
/** What a line with one of these prefixes holds among its first characters. */
const MAY_HAVE_PREFIX = /^[>+#[(:]|^\s{0,10}\d|^[A-Z][a-z]{2},? |^[IWEFVD][\d/]|[|\u2502\t]|^section_|day at /
const MAX_PREFIXES = 8
const MAX_PREFIX = 400

/** The text that a seen text is of, with what was replaced in it. */
export function rawText({ text, hidden }: SeenText): string {
  const parts: string[] = []
  let copied = 0
  for (const { at, shown, raw } of hidden) {
    parts.push(text.slice(copied, at), raw)
    copied = at + shown
  }
  return parts.join('') + text.slice(copied)
}

/**
 * Puts something else in place of parts of a seen text. What was hidden within such a part goes with it, except where
 * it breaks a line.
 *
 * @param parts - In order, without overlaps.
 * @param keep - Whether the parts become hidden pieces themselves.
 */
function spliced({ text, hidden }: SeenText, parts: readonly Replacement[], keep: boolean): SeenText {
  const pieces: string[] = []
  const left: HiddenPiece[] = []
  let length = 0
  let copied = 0
  let next = 0

  /** Copies the text up to a position, and the pieces in it. */
  function copyTo(end: number): void {
    for (let piece = hidden[next]; piece !== undefined && piece.at + piece.shown <= end; piece = hidden[++next]) {
      left.push({ ...piece, at: piece.at - copied + length })
    }
    pieces.push(text.slice(copied, end))
    length += end - copied
    copied = end
  }

  for (const { from, to, by } of parts) {
    copyTo(from)
    const inside: HiddenPiece[] = []
    for (let piece = hidden[next]; piece !== undefined && piece.at < to; piece = hidden[++next]) {
      inside.push({ ...piece, at: piece.at - from })
    }
    if (keep) {
      left.push({ at: length, shown: by.length, raw: rawText({ text: text.slice(from, to), hidden: inside }) })
    }
    pieces.push(by)
    length += by.length
    copied = to
    if (keep) continue
    for (const { raw } of inside) if (raw.includes('\n')) left.push({ at: length, shown: 0, raw })
  }
  copyTo(text.length)
  return { text: pieces.join(''), hidden: left }
}

/** Replaces parts of a seen text, which are in order and do not overlap; all lines stay. */
export function replaceParts(seen: SeenText, parts: readonly Replacement[]): SeenText {
  return parts.length === 0 ? seen : spliced(seen, parts, false)
}

function signFor(raw: string): string {
  return SIGNS.find(([pattern]) => pattern.test(raw))?.[1] ?? ''
}

/** Colours, controls and invisible characters go; line breaks, tabs and quotes that are written out are such. */
function withoutEscapes(text: string): SeenText {
  const whole = { text, hidden: [] }
  if (!MAY_BE_UNSEEN.test(text)) return whole
  const parts: Replacement[] = []
  UNSEEN.lastIndex = 0
  for (let match = UNSEEN.exec(text); match !== null; match = UNSEEN.exec(text)) {
    parts.push({ from: match.index, to: UNSEEN.lastIndex, by: signFor(match[0]) })
  }
  return parts.length === 0 ? whole : spliced(whole, parts, true)
}

/** Length of what stands before a line: times, containers, CI systems, quotation, line numbers, a diff's plus. */
function prefixLength(line: string): number {
  let length = 0
  for (let round = 0; round < MAX_PREFIXES; round++) {
    const rest = line.slice(length)
    if (!MAY_HAVE_PREFIX.test(rest)) return length
    const one = PREFIXES.find(prefix => prefix.test(rest))
    const found = one?.exec(rest)?.[0].length ?? stampLength(rest, true)
    if (found === 0) return length
    length += found
  }
  return length
}

function withoutPrefixes(seen: SeenText): SeenText {
  const { text } = seen
  const parts: Replacement[] = []
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start)
    const next = end === -1 ? text.length : end
    const length = prefixLength(text.slice(start, Math.min(next, start + MAX_PREFIX)))
    if (length > 0) parts.push({ from: start, to: start + length, by: '' })
    start = next + 1
  }
  return parts.length === 0 ? seen : spliced(seen, parts, true)
}

/**
 * A text as a person sees it: without terminals' escapes and invisible characters, also where these are written out
 * (`\u001B[32m`), with line breaks, tabs and quotes for their escapes (`\n`, `&quot;`), and each line without what a
 * log, a CI system, a quotation, a diff or our own contexts put in front of it. To look for something in, with
 * `replaceParts` to replace it and `rawText` for the way back. Linear in the length of the text.
 */
export const seenText = (text: string): SeenText => withoutPrefixes(withoutEscapes(text))
