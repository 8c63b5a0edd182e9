import type { DatabaseSync } from 'node:sqlite'
import { eachIdentifier, termsOf } from '../core/tokenize.ts'
import { numberIn } from './row.ts'

const PATH_WEIGHT = 3
const MAX_QUERY_LENGTH = 262_144
/** Distinct terms that are looked up; the longest ones, as those are the names that tell most. */
const MAX_CANDIDATES = 400
/** Terms that are searched for; the rarest ones. The cost of a search grows with the lists of all its terms. */
const MAX_TERMS = 40
/** A bm25 sum that counts as half of a perfect score. */
const HALF_SCORE = 10

export interface TextMatch { id: number, score: number }

/**
 * Full text over the terms of chunks and paths. Any text is a safe query: it is cut into terms by our tokenizer, terms that the index does not hold
 * are dropped, and what is left is quoted.
 */
export class FullText {
  readonly #database: DatabaseSync

  constructor (database: DatabaseSync) {
    this.#database = database
    database.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab (main, chunk_text, row)')
  }

  /** @returns At most `k` chunks that share a term with the text, best first. `score` orders them within one answer and lies in (0, 1). */
  search (text: string, k: number): TextMatch[] {
    const terms = this.#rarest(candidates(text))
    if (terms.length === 0 || k < 1) return []
    const rows = this.#database.prepare(`SELECT rowid AS id, -bm25(chunk_text, 1.0, ${PATH_WEIGHT}) AS weight FROM chunk_text WHERE chunk_text MATCH ? ORDER BY weight DESC, rowid LIMIT ?`)
      .all(terms.map(term => `"${term}"`).join(' OR '), k)
    return rows.map((row) => {
      const weight = Math.max(numberIn(row, 'weight'), Number.MIN_VALUE)
      return { id: numberIn(row, 'id'), score: weight / (weight + HALF_SCORE) }
    })
  }

  #rarest (terms: string[]): string[] {
    const count = this.#database.prepare('SELECT doc FROM temp.terms WHERE term = ?')
    const known: Array<{ term: string, chunks: number }> = []
    for (const term of terms) {
      const row = count.get(term)
      if (row !== undefined) known.push({ term, chunks: numberIn(row, 'doc') })
    }
    return known.sort((a, b) => a.chunks - b.chunks || b.term.length - a.term.length).slice(0, MAX_TERMS).map(({ term }) => term)
  }
}

function candidates (text: string): string[] {
  const terms = new Set<string>()
  eachIdentifier(text.slice(0, MAX_QUERY_LENGTH), (identifier) => { for (const term of termsOf(identifier)) terms.add(term) })
  return [...terms].sort((a, b) => b.length - a.length).slice(0, MAX_CANDIDATES)
}
