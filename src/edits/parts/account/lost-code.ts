import { STUB } from '../stub.ts'
import { weightOf, type Content, type ContentLine } from './content-lines.ts'
import type { LineHunk } from './line-hunks.ts'
import { likeness, STANDS_FOR } from './open-lines.ts'

/** In a function less is enough than elsewhere: a loop becomes one call. */
const STANDS_FOR_CODE = 1 / 8
const STANDS_BESIDE_REMARK = 0.5
/** Fewer lines of a function may become any line. */
const MANY = 10
/** Fewer lines of a function that are its lesser part may go. */
const SOME = 3
/** A statement that only calls something, be it with a block of code in place of arguments. */
const CALL =
  /^(?:(?:await|defer|go) )?[\p{L}\p{N}_$.:!?]+(?:<[\w<>, .?]{1,200}>)?(?:\(.*\)|(?:\(.*\))? ?\{.*\})(?:\s*(?:%>%|\|>|\||\+))?$/u
/** A new line of a function is an old one in other words from this likeness on. */
const PARTNER = 0.6
const MAX_PAIRS = 2500

/** A comment that speaks of what there is already or is yet to come. */
const SPEAKS_OF_REST =
  /\.{2,}|…|⋮|<\w+>|\b(?:same|as (?:is|before|in|above)|before|above|below|existing|unchanged|keep|rest|remain\w*|original|previous|omit\w*|snip\w*|your|here|etc|stays?|continues?|todo|other|wie|reste|unverändert|gleich)\b|[\u3040-\u30ff\u4e00-\u9fff]/i

/** Whether a comment holds the code itself. */
const isCommentedOut = (comment: string, { words }: ContentLine): boolean => words.every(word => comment.includes(word))

/** Whether what stands in the place of lines of a function is less than they were. */
export function losesCode(
  old: readonly ContentLine[],
  hunk: LineHunk,
  { size, spare, isOnlyCut }: { size: number; spare: number; isOnlyCut: boolean },
): boolean {
  const name = old[0]?.ownerName
  const inSame = hunk.fresh.filter(own => own.ownerName === name)
  if (isOnlyCut && inSame.length === 0) return true
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

/**
 * The lost calls of a function that have no new line, where each new line is one of the others in other words; none
 * where a new line says something of its own, which may stand for any of them.
 */
export function withoutPartner(old: readonly ContentLine[], { fresh }: LineHunk): ContentLine[] {
  const own = fresh.filter(({ ownerName }) => ownerName === old[0]?.ownerName)
  if (own.length === 0 || own.length >= old.length || own.length * old.length > MAX_PAIRS) return []
  const left = new Set(old)
  for (const line of own) {
    let best: { other: ContentLine; like: number } | null = null
    for (const other of left) {
      const like = likeness(other, line)
      if (like >= PARTNER && like > (best?.like ?? 0)) best = { other, like }
    }
    if (best === null) return []
    left.delete(best.other)
  }
  return [...left].every(({ text }) => CALL.test(text)) ? [...left] : []
}

/** Whether a line is a name or a value alone: an argument of a call that goes over several lines. */
const isArgument = ({ text, words }: ContentLine): boolean => words.length === 1 && /^[\w.$]+$/.test(text)

/** Whether a line gives a name to a value without a call, and nothing uses the name any more. */
function isUnused({ text }: ContentLine, used: ReadonlySet<string>): boolean {
  const name = /^(?:(?:const|let|var|auto|final)\s+)?([\p{L}_$][\p{L}\p{N}_$]*)\s*:?=(?![=>])[^(]*$/u.exec(text)?.[1]
  return name !== undefined && !used.has(name)
}

function wordsByOwner(lines: readonly ContentLine[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const { ownerName, words } of lines) {
    const known = found.get(ownerName) ?? new Set()
    for (const word of words) known.add(word)
    found.set(ownerName, known)
  }
  return found
}

const HEAD = /^(?:(?:await|yield|return|const|let|var|defer|go)\s+)?([\p{L}\p{N}_$.?!]+)\s*(?:\(|[-+*/|&]?=(?!=))/u

/** What a statement calls or sets; all the words of any other line. */
function tellingWords({ text, words }: ContentLine): readonly string[] {
  const head = HEAD.exec(text)?.[1]
  return head === undefined ? words : head.split(/[.?!]+/).slice(-1)
}

/**
 * Tells of lines that are lost from one function whether nothing is in their place: it stands in the block, and none of
 * its new lines has a word of theirs.
 */
export function cutTest(hunks: readonly LineHunk[], after: Content): (old: readonly ContentLine[]) => boolean {
  const used = wordsByOwner(after.lines)
  const fresh = wordsByOwner(hunks.flatMap(hunk => hunk.fresh))
  return old => {
    const [line] = old
    const left = used.get(line?.ownerName ?? '')
    if (line === undefined || left === undefined) return false
    if (old.every(own => isArgument(own) || isUnused(own, left))) return false
    const words = fresh.get(line.ownerName)
    return !old.some(own => tellingWords(own).some(word => words?.has(word)))
  }
}
