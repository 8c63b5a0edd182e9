import { newSide, oldSide, type Hunk, type HunkLine } from '../edit.ts'
import { spend, type Work } from './line-index.ts'
import { splitFile } from '../text/file-lines.ts'

/** A text as the model is shown it: with `[redacted:kind]` in place of each secret, and the same lines. */
export type Redact = (text: string) => string

/** An edit with the secrets of its file. */
interface Restored<T> {
  restored: T
  /** The first line whose secret nobody knows: the edit must not be applied. */
  lost?: string
}

const PLACEHOLDER = /\[redacted:[a-z][a-z0-9-]*\]/g
const MAX_LINE_CHARS = 200

const placeholdersOf = (text: string): string[] => text.match(PLACEHOLDER) ?? []

/** Whether a text holds what stands for a secret. */
const hasPlaceholder = (text: string): boolean => placeholdersOf(text).length > 0

/** What is wrong with a line that would write a placeholder. */
export const lostSecret = (line: string): string =>
  `The line ${JSON.stringify(line.trim().slice(0, MAX_LINE_CHARS))} holds a placeholder for a secret that you were ` +
  'not shown, and it is not one line of the file, so the secret cannot be put back. Leave that line as the file has ' +
  'it, show it with the lines around it, or send a diff that does not touch it.'

/** The first line of a new file that would write a placeholder; undefined where there is none. */
export const placeholderLine = (text: string): string | undefined =>
  hasPlaceholder(text) ? text.split('\n').find(hasPlaceholder) : undefined

/** A file's lines, and what the model saw in their place. */
interface Shown {
  lines: readonly string[]
  /** Trimmed, as indentation may change. */
  seen: readonly string[]
  /** Where each line stands that holds a placeholder, by what was seen of it. */
  places: ReadonlyMap<string, readonly number[]>
  /** Placeholders that stand in the file itself, and for no secret of it. */
  own: ReadonlySet<string>
  work: Work
}

function shownLines(lines: readonly string[], redact: Redact, work: Work): Shown {
  const redacted = redact(lines.join('\n')).split('\n')
  const seen = (redacted.length === lines.length ? redacted : lines).map(line => line.trim())
  const places = new Map<string, number[]>()
  const own = new Set<string>()
  const hidden = new Set<string>()
  for (const [at, text] of seen.entries()) {
    const held = placeholdersOf(text)
    if (held.length === 0) continue
    const isOwn = text === lines[at]?.trim()
    for (const placeholder of held) (isOwn ? own : hidden).add(placeholder)
    const known = places.get(text)
    if (known === undefined) places.set(text, [at])
    else known.push(at)
  }
  return { lines, seen, places, own: new Set([...own].filter(placeholder => !hidden.has(placeholder))), work }
}

/** The place that the lines on one side of a line tell from the others; null where they do not. */
function narrowed(
  places: readonly number[],
  step: 1 | -1,
  { texts, at, seen, work }: { texts: readonly string[]; at: number; seen: readonly string[]; work: Work },
): number | null {
  let left = places
  for (let distance = step; left.length > 1; distance += step) {
    spend(work, left.length)
    const text = texts[at + distance]?.trim()
    left = text === undefined ? [] : left.filter(place => seen[place + distance] === text)
  }
  return left[0] ?? null
}

/** The place in the file of each line with a placeholder; lines whose place is not certain are left out. */
function placesOf(
  texts: readonly string[],
  { seen, places, lines, work }: Shown,
  mayBe: (place: number, index: number) => boolean = () => true,
): Map<number, number> {
  const found = new Map<number, number>()
  const chosen = new Map<number, number[]>()
  for (const [at, text] of texts.entries()) {
    const all = places.get(text.trim()) ?? []
    const [first] = all
    if (first === undefined) continue
    spend(work, all.length)
    if (new Set(all.map(place => lines[place]?.trim())).size === 1) {
      found.set(at, first)
      continue
    }
    const candidates = all.filter(place => mayBe(place, at))
    const above = narrowed(candidates, -1, { texts, at, seen, work })
    const below = narrowed(candidates, 1, { texts, at, seen, work })
    const place = above ?? below
    if (place === null || (below !== null && below !== place)) continue
    found.set(at, place)
    chosen.set(place, [...(chosen.get(place) ?? []), at])
  }
  // Two lines cannot be the same one of several.
  for (const same of chosen.values()) if (same.length > 1) for (const at of same) found.delete(at)
  return found
}

/** The line of the file with the indentation and the end of the line that was sent. */
function spelledLike(sent: string, line: string): string {
  const bare = sent.trim()
  const from = sent.indexOf(bare)
  return sent.slice(0, from) + line.trim() + sent.slice(from + bare.length)
}

/**
 * Puts the secrets of files back into the lines that a model sends as it was shown them. A line is restored where it is
 * one line of the file apart from the placeholders; of several such lines, the neighbours have to tell which.
 */
export class Placeholders {
  readonly #redact: Redact
  readonly #work: Work
  /** What was read last: the hunks of a diff ask for the same lines. */
  #last: Shown | null = null

  constructor(redact: Redact, work: Work) {
    this.#redact = redact
    this.#work = work
  }

  /** The content of a block for a file, with the file's secrets. */
  inBlock(content: string, before: string): Restored<string> {
    if (!hasPlaceholder(content)) return { restored: content }
    const shown = this.#shown(splitFile(before).lines)
    const texts = content.split('\n')
    const found = placesOf(texts, shown)
    const lost = texts.find((text, at) => this.#isLost(text, found.has(at), shown))
    return { restored: texts.map((text, at) => this.#restore(text, found.get(at), shown)).join('\n'), lost }
  }

  /** A hunk for a file of these lines, with the file's secrets. */
  inHunk(hunk: Hunk, lines: readonly string[]): Restored<Hunk> {
    if (!hunk.lines.some(({ text }) => hasPlaceholder(text))) return { restored: hunk }
    const shown = this.#shown(lines)
    const old = oldSide(hunk)
    const places = new Map<HunkLine, number>()
    const textsOf = (side: readonly HunkLine[]): string[] => side.map(({ text }) => text)
    for (const [at, place] of placesOf(textsOf(old), shown)) {
      const line = old[at]
      if (line !== undefined) places.set(line, place)
    }
    const removed = new Set(old.filter(({ kind }) => kind === '-').map(line => places.get(line)))
    const fresh = newSide(hunk)
    for (const [at, place] of placesOf(textsOf(fresh), shown, place => removed.has(place))) {
      const line = fresh[at]
      if (line?.kind === '+') places.set(line, place)
    }
    const lost = hunk.lines.find(line => this.#isLost(line.text, places.has(line), shown))
    const restored = hunk.lines.map(line => {
      const text = this.#restore(line.text, places.get(line), shown)
      return text === line.text ? line : { ...line, text, raw: line.raw.replace(line.text, () => text) }
    })
    return { restored: { ...hunk, lines: restored }, lost: lost?.text }
  }

  #shown(lines: readonly string[]): Shown {
    if (this.#last?.lines !== lines) this.#last = shownLines(lines, this.#redact, this.#work)
    return this.#last
  }

  #isLost(text: string, isFound: boolean, { own }: Shown): boolean {
    return !isFound && placeholdersOf(text).some(placeholder => !own.has(placeholder))
  }

  #restore(text: string, place: number | undefined, { lines }: Shown): string {
    const line = place === undefined ? undefined : lines[place]
    return line === undefined ? text : spelledLike(text, line)
  }
}
