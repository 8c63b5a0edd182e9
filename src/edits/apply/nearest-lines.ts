import { oldSide, type Hunk, type Nearest } from '../edit.ts'
import type { LineIndex } from './line-index.ts'

const MAX_SHOWN = 2
/** Lines that stand in more places say little about any of them. */
const MAX_PLACES = 40
const MAX_HUNK_LINES = 60
const MAX_SCANNED_CHARS = 2_000_000
const MAX_LINE_CHARS = 400
/** Words that stand in more lines say little. */
const MAX_WORD_PLACES = 1000
const MAX_COMPARED = 30
const MIN_SIMILARITY = 0.3

/** The tables of words, by the index of a state of a file. */
const tables = new WeakMap<LineIndex, Map<string, number[]>>()

const words = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []

/** The lines that each word stands in. Made once for a state of a file. */
function wordTable(index: LineIndex): Map<string, number[]> {
  const known = tables.get(index)
  if (known !== undefined) return known
  const table = new Map<string, number[]>()
  let scanned = 0
  for (const [line, text] of index.lines.entries()) {
    scanned += Math.min(text.length, MAX_LINE_CHARS)
    if (scanned > MAX_SCANNED_CHARS) break
    for (const word of new Set(words(text.slice(0, MAX_LINE_CHARS)))) {
      const places = table.get(word)
      if (places === undefined) table.set(word, [line])
      else places.push(line)
    }
  }
  tables.set(index, table)
  return table
}

/** The share of equal words: twice the common ones over all. */
function share(a: readonly string[], b: readonly string[]): number {
  if (a.length + b.length === 0) return 0
  const counts = new Map<string, number>()
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1)
  let common = 0
  for (const word of b) {
    const left = counts.get(word) ?? 0
    if (left > 0) {
      common++
      counts.set(word, left - 1)
    }
  }
  return (2 * common) / (a.length + b.length)
}

/** The lines with most votes first; the first line of several with as many. */
const mostVoted = (votes: ReadonlyMap<number, number>): number[] =>
  [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([line]) => line)

/** The place of the longest line, without the blanks around it; the first one of several. */
function longestOf(lines: readonly string[]): number {
  const lengths = lines.map(line => line.trim().length)
  return lengths.indexOf(Math.max(...lengths))
}

/** The line at which a hunk would begin if its longest line were the line of the file with most of its words. */
function byWords(old: readonly string[], index: LineIndex): number[] {
  const longest = longestOf(old)
  const wanted = words((old[longest] ?? '').slice(0, MAX_LINE_CHARS))
  const table = wordTable(index)
  const votes = new Map<number, number>()
  for (const word of new Set(wanted)) {
    const places = table.get(word) ?? []
    if (places.length <= MAX_WORD_PLACES) for (const line of places) votes.set(line, (votes.get(line) ?? 0) + 1)
  }
  const best = mostVoted(votes)
    .slice(0, MAX_COMPARED)
    .map(line => ({ line, score: share(wanted, words((index.lines[line] ?? '').slice(0, MAX_LINE_CHARS))) }))
    .sort((a, b) => b.score - a.score || a.line - b.line)[0]
  return best === undefined || best.score < MIN_SIMILARITY ? [] : [best.line - longest]
}

const similarity = (a: string, b: string): number => Math.round(share(words(a), words(b)) * 100) / 100

/** The lines at which a hunk would begin by the places of its lines: those that most of them agree on. */
function byLines(old: readonly string[], index: LineIndex): number[] {
  const votes = new Map<number, number>()
  for (const [i, text] of old.entries()) {
    const places = text.trim() === '' ? [] : index.placesOf(text, 'stripped')
    if (places.length > MAX_PLACES) continue
    for (const place of places) votes.set(place - i, (votes.get(place - i) ?? 0) + 1 / places.length)
  }
  return mostVoted(votes).slice(0, MAX_SHOWN)
}

/**
 * Returns the lines of a file that look most like the old side of a hunk: where most of its lines stand, else where the
 * words of its longest line do.
 */
export function nearestLines(hunk: Hunk, index: LineIndex): Nearest[] {
  const old = oldSide(hunk)
    .slice(0, MAX_HUNK_LINES)
    .map(({ text }) => text)
  if (old.length === 0 || index.lines.length === 0) return []
  const agreed = byLines(old, index)
  const starts = agreed.length > 0 ? agreed : byWords(old, index)
  return starts
    .map(start => {
      const from = Math.max(0, start)
      const lines = index.lines
        .slice(from, Math.min(index.lines.length, start + old.length))
        .map(line => line.slice(0, MAX_LINE_CHARS))
      return { startLine: from + 1, lines, similarity: similarity(old.join('\n'), lines.join('\n')) }
    })
    .filter(({ lines, similarity }) => lines.length > 0 && similarity >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity)
}
