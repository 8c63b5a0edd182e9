const WORD = /[\p{L}_$][\p{L}\p{N}_$]*|\d+/gu
const COMMENT = /^\s*(?:\/\/|#|\*|\/\*|--|<!--|"""|''')/

/** How often each word stands in some lines. */
export type Words = ReadonlyMap<string, number>

/** Counts the words of lines. */
export function wordsIn(lines: readonly string[]): Words {
  const words = new Map<string, number>()
  for (const line of lines) {
    for (const [word] of line.matchAll(WORD)) words.set(word, (words.get(word) ?? 0) + 1)
  }
  return words
}

const countOf = (words: Words): number => words.values().reduce((sum, count) => sum + count, 0)

/** The share of words that two texts have in common, in [0, 1]; 0 where one of them is empty. */
export function likeness(a: Words, b: Words): number {
  let common = 0
  for (const [word, count] of a) common += Math.min(count, b.get(word) ?? 0)
  const all = countOf(a) + countOf(b)
  return all === 0 ? 0 : (2 * common) / all
}

/** Whether a line holds more than a comment, a bracket or blanks. */
export const isSignificant = (line: string): boolean => /[\p{L}\p{N}]/u.test(line) && !COMMENT.test(line)

/** The lines that hold more than a comment, without the blanks around them. */
export const significantLines = (lines: readonly string[]): string[] =>
  lines.filter(isSignificant).map(line => line.trim())

/** The words of code, without those in comments of whole lines. */
export const usedWords = (lines: readonly string[]): Words => wordsIn(lines.filter(line => !COMMENT.test(line)))
