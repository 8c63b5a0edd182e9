import { oldSide, type Hunk, type HunkLine } from '../edit.ts'
import { hasEntity, withoutEntities } from '../text/entities.ts'
import { cutNumbers, cutTightNumbers } from '../text/line-numbers.ts'

/** The hunk without the prose that follows it; null where none does. */
function withoutTail(hunk: Hunk): Hunk | null {
  return hunk.doubtfulTail === 0 ? null : { ...hunk, lines: hunk.lines.slice(0, -hunk.doubtfulTail), doubtfulTail: 0 }
}

const EMPTY_GUTTER = /^[ >]*[|│:](?: |$)/
/** Marks before the lines of a stack trace, and as many blanks before the others. */
const ARROWS = /^(?:>{3}| {3})(?: |$)/

type CutNumbers = typeof cutNumbers

/** Where the sign stands that parts a number from its line: one further right in a line with its prefix. */
function gutterEnds(lines: readonly string[], cut: ReadonlyArray<{ text: string }>): ReadonlySet<number> {
  return new Set(
    lines.flatMap((line, i) => {
      const sign = line.slice(0, line.length - (cut[i]?.text.length ?? 0)).trimEnd().length
      return [sign - 1, sign, sign + 1]
    }),
  )
}

/** Returns a function that takes the number in a listing from an added line, or the blanks in its place. */
function addedWithout(cutOf: CutNumbers, ends: ReadonlySet<number>): (text: string) => string {
  return text => {
    const [cut] = cutOf([text]) ?? []
    if (cut !== undefined) return cut.text
    const gutter = EMPTY_GUTTER.exec(text)?.[0]
    return gutter !== undefined && ends.has(gutter.trimEnd().length) ? text.slice(gutter.length) : text
  }
}

/** The hunk without the line numbers of a listing that its lines were copied from; null where they have none. */
function withoutNumbers(hunk: Hunk, cutOf: CutNumbers): Hunk | null {
  const old = oldSide(hunk).map(({ text, raw, kind }) => (kind === ' ' ? raw : text))
  const cut = cutOf(old)
  if (cut === null || cut.length === 0 || cut.some(({ number }, i) => i > 0 && number <= (cut[i - 1]?.number ?? 0))) {
    return null
  }
  const withoutNumber = addedWithout(cutOf, gutterEnds(old, cut))
  const texts = cut.map(({ text }) => text).values()
  const nextText = (): string => texts.next().value ?? ''
  const lines = hunk.lines.map((line): HunkLine => {
    const text = line.kind === '+' ? withoutNumber(line.text) : nextText()
    return { ...line, text, raw: text }
  })
  const first = cut[0]?.number ?? null
  return { ...hunk, lines, oldStart: first }
}

/** The hunk without `>>>` before some of its lines; null where none has it, or a line has something else there. */
function withoutArrows(hunk: Hunk): Hunk | null {
  const old = oldSide(hunk).filter(({ text }) => text.trim() !== '')
  if (!old.some(({ text }) => text.startsWith('>>>')) || !old.every(({ text }) => ARROWS.test(text))) return null
  const lines = hunk.lines.map((line): HunkLine => {
    const text = line.text.replace(ARROWS, '')
    return { ...line, text, raw: text }
  })
  return { ...hunk, lines }
}

/** The hunk with the characters that HTML escapes; null where no line of the old side has them escaped. */
function unescaped(hunk: Hunk): Hunk | null {
  if (!oldSide(hunk).some(({ text }) => hasEntity(text))) return null
  const lines = hunk.lines.map(line => ({ ...line, text: withoutEntities(line.text), raw: withoutEntities(line.raw) }))
  return { ...hunk, lines }
}

/** The hunk without blank context lines at its end, which may only part it from what follows; null without any. */
function withoutLastBlank(hunk: Hunk): Hunk | null {
  let length = hunk.lines.length
  while (length > 0 && hunk.lines[length - 1]?.kind === ' ' && hunk.lines[length - 1]?.text.trim() === '') length--
  return length === hunk.lines.length || length === 0 ? null : { ...hunk, lines: hunk.lines.slice(0, length) }
}

/**
 * Returns the ways in which a hunk may be meant, the literal one first. Each is to be tried only when the one before is
 * not in the file at all.
 */
export function hunkVariants(hunk: Hunk): Array<{ variant: Hunk; isAsWritten: boolean }> {
  const others = [
    withoutTail(hunk),
    withoutNumbers(hunk, cutNumbers),
    withoutNumbers(hunk, cutTightNumbers),
    withoutArrows(hunk),
    unescaped(hunk),
    withoutLastBlank(hunk),
  ].filter(variant => variant !== null)
  return [{ variant: hunk, isAsWritten: true }, ...others.map(variant => ({ variant, isAsWritten: false }))]
}
