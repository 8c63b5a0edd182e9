import { oldSide, type Hunk, type HunkLine } from '../edit.ts'
import { cutNumbers } from '../text/line-numbers.ts'

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&#x27;', "'"],
  ['&apos;', "'"],
  ['&nbsp;', ' '],
  ['&amp;', '&'],
])
const ENTITY = /&(?:lt|gt|quot|#39|#x27|apos|nbsp|amp);/
const ALL_ENTITIES = new RegExp(ENTITY, 'g')

/** The hunk without the prose that follows it; null where none does. */
function withoutTail(hunk: Hunk): Hunk | null {
  return hunk.doubtfulTail === 0 ? null : { ...hunk, lines: hunk.lines.slice(0, -hunk.doubtfulTail), doubtfulTail: 0 }
}

/** The added line without its number in a listing, where it has one. */
function withoutNumber(text: string): string {
  const [cut] = cutNumbers([text]) ?? []
  return cut === undefined ? text : cut.text
}

/** The hunk without the line numbers of a listing that its lines were copied from; null where they have none. */
function withoutNumbers(hunk: Hunk): Hunk | null {
  const cut = cutNumbers(oldSide(hunk).map(({ text, raw, kind }) => (kind === ' ' ? raw : text)))
  if (cut === null || cut.length === 0 || cut.some(({ number }, i) => i > 0 && number <= (cut[i - 1]?.number ?? 0))) {
    return null
  }
  const texts = cut.map(({ text }) => text).values()
  const nextText = (): string => texts.next().value ?? ''
  const lines = hunk.lines.map((line): HunkLine => {
    const text = line.kind === '+' ? withoutNumber(line.text) : nextText()
    return { ...line, text, raw: text }
  })
  const first = cut[0]?.number ?? null
  return { ...hunk, lines, oldStart: first }
}

/** The hunk with the characters that HTML escapes; null where no line of the old side has them escaped. */
function unescaped(hunk: Hunk): Hunk | null {
  if (!oldSide(hunk).some(({ text }) => ENTITY.test(text))) return null
  const plain = (text: string): string => text.replace(ALL_ENTITIES, entity => ENTITIES.get(entity) ?? entity)
  return { ...hunk, lines: hunk.lines.map(line => ({ ...line, text: plain(line.text), raw: plain(line.raw) })) }
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
  const others = [withoutTail(hunk), withoutNumbers(hunk), unescaped(hunk), withoutLastBlank(hunk)].filter(
    variant => variant !== null,
  )
  return [{ variant: hunk, isAsWritten: true }, ...others.map(variant => ({ variant, isAsWritten: false }))]
}
