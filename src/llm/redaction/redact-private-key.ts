import type { Replacement } from './seen-text.ts'

const KIND = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\\d'
/** PuTTY writes neither BEGIN nor END. */
const BEGIN =
  `-----BEGIN (?:${KIND})-----|---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----|` + '\\bPrivate-Lines: \\d{1,4}\\b'
const END = `-----END (?:${KIND})-----|---- END SSH2\\b|\\bPrivate-MAC: `
const MARKERS = new RegExp(`(?<begin>${BEGIN})|${END}`, 'g')
const RUN = /[A-Za-z0-9+/=]+/g
const ONLY_SIGNS = /^[+/=]+$/
const HEADER = /^[\s"',>#*+/]{0,20}[A-Za-z][A-Za-z-]{1,30}: /
const MIN_RUN = 20
const SURE_RUN = 40
const MAX_HEADER = 60
const MAX_HEADERS = 8 // bounds what is read in vain where no key follows
const MAX_FOREIGN = 20 // lines of other writers within a block
const MAX_BLOCK = 100_000
const MAX_PREFIX = 12 // characters of what a logger wrote before BEGIN, by which its other lines are known
const HIDDEN = '[redacted:private-key]'

interface Run {
  from: number
  to: number
  text: string
}

/** A key is random, in base64 or in hexadecimal digits; a name in code has few digits, a path or a word none. */
const isKeyMaterial = ({ text }: Run): boolean =>
  text.length >= MIN_RUN &&
  text.split(/\d+/).length > (text.length >= SURE_RUN ? 1 : 2) &&
  /[a-z]/.test(text) &&
  (/[A-Z]/.test(text) || /^[0-9a-f]+$/.test(text))

function runsOf(text: string, from: number, to: number): Run[] {
  const runs: Run[] = []
  for (const match of text.slice(from, to).matchAll(RUN)) {
    if (ONLY_SIGNS.test(match[0])) continue
    const at = from + match.index
    runs.push({ from: at, to: at + match[0].length, text: match[0] })
  }
  return runs
}

/** What is written on both sides of a block: its lines stand between them. */
interface Block {
  from: number
  to: number
  /** Whether the block has its END; without it, the first line that holds no part of a key ends it. */
  isClosed: boolean
  /** What stands before BEGIN in its line, or the end of that. */
  prefix: string
}

/** A short line of a key: alone in its line, behind the prefix of BEGIN, padded, or right before END. */
function isShortLine(run: Run, runs: readonly Run[], line: { text: string; start: number; prefix: string }): boolean {
  const { text, start, prefix } = line
  if (runs.length === 1 || run.text.endsWith('==')) return true
  return prefix !== '' && text.slice(Math.max(start, run.from - prefix.length), run.from) === prefix
}

/** The parts of one line that belong to the key. */
function keyRuns(text: string, line: { from: number; to: number }, block: Block, hasKey: boolean): Run[] {
  const runs = runsOf(text, line.from, line.to)
  const first = runs.findIndex(isKeyMaterial)
  if (!block.isClosed) {
    if (first === -1 || (line.from === block.from && first > 0)) return []
    const behind = runs.findIndex((run, index) => index > first && !isKeyMaterial(run))
    return runs.slice(first, behind === -1 ? runs.length : behind)
  }
  const isLast = line.to === block.to // END's own
  if (first === -1 && (isLast || !hasKey)) return []
  const last = isLast ? runs.at(-1) : undefined
  const where = { text, start: line.from, prefix: block.prefix }
  return runs.filter(run => isKeyMaterial(run) || run === last || isShortLine(run, runs, where))
}

/** Where the lines of a part of a text begin and end; nothing outside of the part is looked at. */
function linesOf(text: string, from: number, to: number): Array<{ from: number; to: number }> {
  let next = from
  return text
    .slice(from, to)
    .split('\n')
    .map(({ length }) => {
      const line = { from: next, to: next + length }
      next = line.to + 1
      return line
    })
}

/** The lines of a key, of which the first is the rest of BEGIN's. */
function keyInBlock(text: string, block: Block): Run[] {
  const key: Run[] = []
  let headers = 0
  let foreign = 0
  for (const line of linesOf(text, block.from, block.to)) {
    const begin = text.slice(line.from, Math.min(line.to, line.from + MAX_HEADER))
    if (key.length === 0 && headers < MAX_HEADERS && HEADER.test(begin)) {
      headers += 1
      continue
    }
    const runs = keyRuns(text, line, block, key.length > 0)
    key.push(...runs)
    if (runs.length > 0) foreign = 0
    else if (/\w/.test(text.slice(line.from, line.to))) foreign += 1
    if (foreign > (block.isClosed ? MAX_FOREIGN : 0)) break
  }
  return key
}

/** Lines of a key whose BEGIN was cut off, upwards from its END. */
function keyBefore(text: string, from: number, end: number): Run[] {
  const lines: Run[][] = []
  for (const line of linesOf(text, from, end).toReversed()) {
    const runs = runsOf(text, line.from, line.to)
    const material = runs.filter(isKeyMaterial)
    const isShort = lines.length === 0 && runs.length === 1 && line.to < end
    const found = material.length === 0 && isShort ? runs : material
    if (found.length > 0) lines.push(found)
    else if (runs.length > 0) break
  }
  const key = lines.toReversed().flat()
  return key.some(isKeyMaterial) ? key : []
}

/**
 * Private keys in a text as a person sees it: whole ones, also with lines of others between theirs, and those that are
 * cut off at either end. Line breaks stay. A BEGIN line without a body, as in code that looks for one, is no secret.
 * Linear in the length of the text.
 */
export function findPrivateKeys(text: string): { parts: Replacement[]; count: number } {
  const markers = [...text.matchAll(MARKERS)].map(match => ({
    isBegin: match.groups?.begin !== undefined,
    from: match.index,
    to: match.index + match[0].length,
  }))
  const keys = markers.map(({ isBegin, from, to }, index) => {
    const previous = markers[index - 1] ?? { isBegin: false, to: 0 }
    if (!isBegin) return previous.isBegin ? [] : keyBefore(text, previous.to, from)
    const next = markers[index + 1] ?? { isBegin: true, from: text.length }
    const before = text.slice(Math.max(0, from - MAX_PREFIX), from).replace(/^[^]*\n/, '')
    const isClosed = !next.isBegin && next.from - to <= MAX_BLOCK
    return keyInBlock(text, {
      from: to,
      to: next.from,
      isClosed,
      prefix: before.trimStart(),
    })
  })
  return {
    parts: keys.flat().map(({ from, to }) => ({ from, to, by: HIDDEN })),
    count: keys.filter(key => key.length > 0).length,
  }
}

/** Where the last BEGIN of a text stands that has no END yet; -1 where there is none. */
export function openKeyAt(text: string): number {
  let open = -1
  for (const { index, groups } of text.matchAll(MARKERS)) open = groups?.begin === undefined ? -1 : index
  return open
}
