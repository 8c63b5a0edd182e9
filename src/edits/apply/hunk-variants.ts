import type { Hunk, HunkLine } from '../edit.ts'
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
const ENTITY = /&(?:lt|gt|quot|#39|#x27|apos|nbsp|amp);/g

/** Without the prose that follows it. */
function withoutTail(hunk: Hunk): Hunk | null {
  return hunk.doubtfulTail === 0 ? null : { ...hunk, lines: hunk.lines.slice(0, -hunk.doubtfulTail), doubtfulTail: 0 }
}

/** Without the line numbers of a listing that the lines were copied from. */
function withoutNumbers(hunk: Hunk): Hunk | null {
  const old = hunk.lines.filter(({ kind }) => kind !== '+')
  const cut = cutNumbers(old.map(({ text, raw, kind }) => (kind === ' ' ? raw : text)))
  if (cut === null || cut.length === 0 || cut.some(({ number }, i) => i > 0 && number <= (cut[i - 1]?.number ?? 0))) {
    return null
  }
  let next = 0
  const lines = hunk.lines.map((line): HunkLine => {
    const text = line.kind === '+' ? (cutNumbers([line.text])?.[0]?.text ?? line.text) : (cut[next++]?.text ?? '')
    return { ...line, text, raw: text }
  })
  const first = cut[0]?.number ?? null
  return { ...hunk, lines, oldStart: first }
}

/** With the characters that HTML escapes, where a line of the old side has them escaped. */
function unescaped(hunk: Hunk): Hunk | null {
  if (!hunk.lines.some(({ kind, text }) => kind !== '+' && ENTITY.test(text))) {
    ENTITY.lastIndex = 0
    return null
  }
  ENTITY.lastIndex = 0
  const plain = (text: string): string => text.replace(ENTITY, entity => ENTITIES.get(entity) ?? entity)
  return { ...hunk, lines: hunk.lines.map(line => ({ ...line, text: plain(line.text), raw: plain(line.raw) })) }
}

/** Without blank context lines at its end, which may only part it from what follows. */
function withoutLastBlank(hunk: Hunk): Hunk | null {
  let length = hunk.lines.length
  while (length > 0 && hunk.lines[length - 1]?.kind === ' ' && hunk.lines[length - 1]?.text.trim() === '') length--
  return length === hunk.lines.length || length === 0 ? null : { ...hunk, lines: hunk.lines.slice(0, length) }
}

/**
 * The ways in which a hunk may be meant, the literal one first. The next one is tried only when one is not in the file
 * at all.
 */
export function hunkVariants(hunk: Hunk): Array<{ variant: Hunk; isAsWritten: boolean }> {
  const others = [withoutTail(hunk), withoutNumbers(hunk), unescaped(hunk), withoutLastBlank(hunk)].filter(
    variant => variant !== null,
  )
  return [{ variant: hunk, isAsWritten: true }, ...others.map(variant => ({ variant, isAsWritten: false }))]
}
