import { tokenize } from '../../core/tokenize.ts'
import type { CodeReader } from '../code-reader.ts'

export type TermQuery = ReadonlyMap<string, number>

/** Terms of a query; more take time and tell little. */
export const MAX_TERMS = 100

/** Adds the terms of a text to counts, each `weight` times. Linear in the length of the text. */
export function countTerms (text: string, weight = 1, into = new Map<string, number>()): Map<string, number> {
  for (const term of tokenize(text)) into.set(term, (into.get(term) ?? 0) + weight)
  return into
}

/** What to search by: terms that the index knows, the rarest of them where they are many, repeated ones a little heavier. */
export function termQuery (counts: ReadonlyMap<string, number>, { documentFrequency }: Pick<CodeReader, 'documentFrequency'>, most = MAX_TERMS): TermQuery {
  let terms = [...counts].map(([term, count]) => ({ term, weight: 1 + Math.log(count), frequency: documentFrequency(term) })).filter(({ frequency }) => frequency > 0)
  if (terms.length > most) terms = terms.sort((a, b) => a.frequency - b.frequency || (a.term < b.term ? -1 : 1)).slice(0, most)
  return new Map(terms.map(({ term, weight }) => [term, weight]))
}
