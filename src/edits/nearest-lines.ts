import type { Hunk, Nearest } from './edit.ts'
import type { LineIndex } from './line-index.ts'

const MAX_SHOWN = 2
/** A line that stands more often says little about a place. */
const MAX_PLACES = 40
const MAX_HUNK_LINES = 60
const MAX_SCANNED_CHARS = 400_000
const MIN_SIMILARITY = 0.3

/** The lines of a file that look most like the old side of a hunk: where most of its lines stand, else where the words of its longest line do. */
export function nearestLines (hunk: Hunk, index: LineIndex): Nearest[] {
  const old = hunk.lines.filter(({ kind }) => kind !== '+').slice(0, MAX_HUNK_LINES).map(({ text }) => text)
  if (old.length === 0 || index.lines.length === 0) return []
  const votes = new Map<number, number>()
  for (const [i, text] of old.entries()) {
    const places = text.trim() === '' ? [] : index.placesOf(text, 'stripped')
    if (places.length > MAX_PLACES) continue
    for (const place of places) votes.set(place - i, (votes.get(place - i) ?? 0) + 1 / places.length)
  }
  const starts = votes.size > 0 ? [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_SHOWN).map(([start]) => start) : byWords(old, index)
  return starts.map(start => {
    const from = Math.max(0, start)
    const lines = index.lines.slice(from, Math.min(index.lines.length, start + old.length)).map(line => line.slice(0, 400))
    return { startLine: from + 1, lines, similarity: similarity(old.join('\n'), lines.join('\n')) }
  }).filter(({ lines, similarity }) => lines.length > 0 && similarity >= MIN_SIMILARITY).sort((a, b) => b.similarity - a.similarity)
}

function byWords (old: readonly string[], index: LineIndex): number[] {
  const longest = old.reduce((best, text, i) => text.trim().length > (old[best]?.trim().length ?? 0) ? i : best, 0)
  const wanted = words(old[longest] ?? '')
  let scanned = 0
  let best = { line: -1, score: MIN_SIMILARITY }
  for (const [line, text] of index.lines.entries()) {
    scanned += Math.min(text.length, 400)
    if (scanned > MAX_SCANNED_CHARS) break
    const score = share(wanted, words(text.slice(0, 400)))
    if (score > best.score) best = { line, score }
  }
  return best.line < 0 ? [] : [best.line - longest]
}

const similarity = (a: string, b: string): number => Math.round(share(words(a), words(b)) * 100) / 100

const words = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []

/** Twice the common words over all words. */
function share (a: readonly string[], b: readonly string[]): number {
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
  return 2 * common / (a.length + b.length)
}
