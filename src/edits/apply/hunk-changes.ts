import { isCountedOut, type Hunk } from '../edit.ts'
import { endBeside, type FileLines } from '../text/file-lines.ts'
import type { Place } from './place-hunk.ts'

/** A run of removed and added lines without context between. */
export interface Change {
  before: number
  deleted: number[]
  added: Array<{ text: string; end: string }>
}

/** Tells the same change at the same place from any other. */
export const keyOf = ({ before, deleted, added }: Change): string =>
  JSON.stringify([before, deleted, added.map(({ text }) => text)])

const isBlank = ({ lines }: FileLines, at: number): boolean => lines[at]?.trim() === ''

/** For each line of the old side the place of the first one from it on that has one. */
export function nextPlaces(at: readonly number[]): Array<number | undefined> {
  const next: Array<number | undefined> = []
  let known: number | undefined
  for (let i = at.length - 1; i >= 0; i--) {
    if ((at[i] ?? -1) >= 0) known = at[i]
    next[i] = known
  }
  return next
}

/**
 * The runs of changes of a hunk at its place.
 *
 * @returns `indentation` when an added line cannot be spelled there; `blank_lines` when the file has blank lines that
 * the hunk does not show where it adds lines, before or after them, or removes one of them.
 */
export function changesOf(
  hunk: Hunk,
  { at, spell }: Place,
  { file, start }: { file: FileLines; start?: number | undefined },
): Change[] | 'indentation' | 'blank_lines' {
  const changes: Change[] = []
  const isMixed = hunk.lines.some(({ hasCr }) => hasCr)
  const followers = nextPlaces(at)
  const places = new Set(at)
  const mayLackLines = !isCountedOut(hunk)
  let cursor = start ?? followers[0] ?? 0
  let shown: number | null = null // the line of the file that the hunk showed last
  let addsSince = false
  let current: Change | null = null
  let k = 0
  const finish = (): void => {
    if (current !== null) changes.push(current)
    current = null
  }
  for (const { kind, text, hasCr } of hunk.lines) {
    if (kind === '+') {
      const spelled = spell(text)
      if (spelled === null) return 'indentation'
      current ??= { before: cursor, deleted: [], added: [] }
      current.added.push({ text: spelled, end: isMixed ? (hasCr ? '\r\n' : '\n') : '' })
      addsSince = true
      continue
    }
    const line = at[k] ?? -1
    const isHole = line < 0 && text.trim() !== ''
    k++
    if (line >= 0) {
      if (shown !== null && line > shown + 1) {
        if (addsSince) return 'blank_lines'
        finish()
      }
      shown = line
      addsSince = false
    }
    if (kind === '-' && line >= 0) {
      // One of several blank lines, and not spelled as it is in the file, or beside one that is not shown: it may be
      // another one.
      const isOther = (beside: number): boolean =>
        isBlank(file, beside) && (file.lines[line] !== text || (mayLackLines && !places.has(beside)))
      if (text.trim() === '' && (isOther(line - 1) || isOther(line + 1))) return 'blank_lines'
      current ??= { before: line, deleted: [], added: [] }
      if (current.deleted.length === 0) current.before = line
      current.deleted.push(line)
    } else if (kind === ' ') {
      finish()
    }
    if (isHole) shown = null
    cursor = line >= 0 ? line + 1 : kind === ' ' && isHole ? (followers[k] ?? cursor) : cursor
  }
  finish()
  const shownEnds = new Set(at.flatMap(line => file.ends[line] || []))
  const [onlyEnd] = shownEnds
  for (const change of changes) {
    const end =
      onlyEnd !== undefined && shownEnds.size === 1
        ? onlyEnd
        : endBeside(file, change.deleted.length > 0 ? (change.deleted[0] ?? 0) + 1 : change.before)
    for (const line of change.added) line.end ||= end
  }
  return changes
}

/** What a hunk at the end of a file says about the newline there; null where it says nothing. */
export function newlineSaid(hunk: Hunk, { at }: Place, length: number): boolean | null {
  // Blank lines at its end that the file does not have only part it from what follows.
  let [end, placed] = [hunk.lines.length, at.length]
  while (hunk.lines[end - 1]?.kind === ' ' && hunk.lines[end - 1]?.text.trim() === '' && at[placed - 1] === -1) {
    ;[end, placed] = [end - 1, placed - 1]
  }
  const lines = hunk.lines.slice(0, end)
  const old = lines.findLast(({ kind }) => kind !== '+')
  const fresh = lines.findLast(({ kind }) => kind !== '-')
  if (old !== undefined && at[placed - 1] !== length - 1) return null
  if (fresh?.noNewline === true) return fresh.kind === '+' ? false : null
  return old?.noNewline === true && old.kind === '-' ? true : null
}
