import { STUB } from '../stub.ts'
import { weightOf, type ContentLine } from './content-lines.ts'
import type { LineHunk } from './line-hunks.ts'
import { STANDS_FOR } from './open-lines.ts'

/** In a function less is enough than elsewhere: a loop becomes one call. */
const STANDS_FOR_CODE = 1 / 8
const STANDS_BESIDE_REMARK = 0.5
/** Fewer lines of a function may become any line. */
const MANY = 10
/** Fewer lines of a function that are its lesser part may go. */
const SOME = 3

/** A comment that speaks of what there is already or is yet to come. */
const SPEAKS_OF_REST =
  /\.{2,}|…|⋮|<\w+>|\b(?:same|as (?:is|before|in|above)|before|above|below|existing|unchanged|keep|rest|remain\w*|original|previous|omit\w*|snip\w*|your|here|etc|stays?|continues?|todo|other|wie|reste|unverändert|gleich)\b|[\u3040-\u30ff\u4e00-\u9fff]/i

/** Whether a comment holds the code itself. */
const isCommentedOut = (comment: string, { words }: ContentLine): boolean => words.every(word => comment.includes(word))

/** Whether what stands in the place of lines of a function is less than they were. */
export function losesCode(
  old: readonly ContentLine[],
  hunk: LineHunk,
  { size, spare }: { size: number; spare: number },
): boolean {
  const name = old[0]?.ownerName
  const inSame = hunk.fresh.filter(own => own.ownerName === name)
  const fresh = (inSame.length > 0 ? inSame : hunk.fresh).filter(({ text }) => !STUB.test(text))
  const [lostWords, freshWords] = [weightOf(old), weightOf(fresh)]
  const stubs = hunk.fresh.length - fresh.length
  if (fresh.length === 0) {
    const remarks = hunk.comments.filter(comment => !old.some(line => isCommentedOut(comment, line)))
    return remarks.length + stubs > 0 || old.length >= SOME || old.length * 2 >= size
  }
  if (hunk.comments.some(comment => SPEAKS_OF_REST.test(comment))) return freshWords < lostWords * STANDS_BESIDE_REMARK
  return old.length >= MANY && freshWords < lostWords * STANDS_FOR_CODE && spare < lostWords * STANDS_FOR
}
