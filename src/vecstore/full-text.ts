import { eachIdentifier, termsOf } from '../core/tokenize.ts'
import type { ChunkMatch, LexicalIndex } from './lexical-index.ts'

const MAX_QUERY_LENGTH = 262_144
/** Distinct terms that are looked up; the longest ones, as those are the names that tell most. */
const MAX_CANDIDATES = 400
/** Terms that are searched for; the rarest ones. */
const MAX_TERMS = 40
/** A bm25 sum that counts as half of a perfect score. */
const HALF_SCORE = 10

/** The chunks that share a term with a text, best first. Any text is a safe query. `score` orders them within one answer and lies in (0, 1). */
export function searchText (index: LexicalIndex, text: string, k: number): ChunkMatch[] {
  const known = candidates(text).map(term => ({ term, chunks: index.documentFrequency(term) })).filter(({ chunks }) => chunks > 0)
  const rarest = known.sort((a, b) => a.chunks - b.chunks || b.term.length - a.term.length).slice(0, MAX_TERMS)
  return index.searchChunks(new Map(rarest.map(({ term }) => [term, 1])), k).map(match => ({ ...match, score: match.score / (match.score + HALF_SCORE) }))
}

function candidates (text: string): string[] {
  const terms = new Set<string>()
  eachIdentifier(text.slice(0, MAX_QUERY_LENGTH), (identifier) => { for (const term of termsOf(identifier)) terms.add(term) })
  return [...terms].sort((a, b) => b.length - a.length).slice(0, MAX_CANDIDATES)
}
