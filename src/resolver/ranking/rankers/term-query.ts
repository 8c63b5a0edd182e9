import { eachIdentifier, termsOf } from '../../../core/tokenize.ts'
import type { CodeReader } from '../../code/code-reader.ts'

/** A weighted BM25 query. */
export interface TermQuery {
  /** Term → weight. */
  terms: ReadonlyMap<string, number>
  /** The score that a chunk full of every term would approach. */
  attainable: number
}

/** The searches by terms that the lexical rankers use. */
export type TermReader = Pick<CodeReader, 'searchTerms' | 'searchFileTerms' | 'documentFrequency' | 'manifest'>

/** Terms of a query; more take time and tell little. */
const MAX_TERMS = 60
const SATURATION = 2.2 // k1 + 1 of BM25

const MAX_IDENTIFIERS = 20_000
const termsByIdentifier = new Map<string, readonly string[]>()

/** A copy of a short string, which would otherwise keep the long text that it is a part of. */
const copied = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

/** One string object for each term: looking up the same object again needs no comparison of letters. */
const termObjects = new Map<string, string>()

function sharedTerm(term: string): string {
  const known = termObjects.get(term)
  if (known !== undefined) return known
  const own = copied(term)
  termObjects.set(own, own)
  return own
}

/** The terms of an identifier, cached: a trace names its code again and again, and so do those that follow. */
function knownTerms(identifier: string): readonly string[] {
  const known = termsByIdentifier.get(identifier)
  if (known !== undefined) return known
  if (termsByIdentifier.size >= MAX_IDENTIFIERS) {
    termsByIdentifier.clear()
    termObjects.clear()
  }
  const terms = termsOf(identifier).map(sharedTerm)
  termsByIdentifier.set(copied(identifier), terms)
  return terms
}

/** Adds the terms of a text to counts, each `weight` times. Linear in the length of the text. */
export function countTerms(text: string, weight = 1, into = new Map<string, number>()): Map<string, number> {
  eachIdentifier(text, identifier => {
    for (const term of knownTerms(identifier)) into.set(term, (into.get(term) ?? 0) + weight)
  })
  return into
}

/**
 * Makes a query of term counts: only terms that the index knows, the rarest where they are many, repeated ones a little
 * heavier.
 *
 * @param rarity - 1 gives rare terms more weight than BM25 does by itself.
 */
export function termQuery(
  counts: ReadonlyMap<string, number>,
  { documentFrequency, manifest }: Pick<TermReader, 'documentFrequency' | 'manifest'>,
  { most = MAX_TERMS, rarity = 0 }: { most?: number; rarity?: 0 | 1 } = {},
): TermQuery {
  const known: Array<{ term: string; weight: number; idf: number }> = []
  for (const [term, count] of counts) {
    const frequency = documentFrequency(term)
    if (frequency === 0) continue
    const idf = Math.log(1 + (Math.max(0, manifest.chunksTotal - frequency) + 0.5) / (frequency + 0.5))
    known.push({ term, weight: (1 + Math.log(count)) * (rarity === 1 ? idf / 5 : 1), idf })
  }
  const chosen =
    known.length > most ? known.sort((a, b) => b.idf - a.idf || (a.term < b.term ? -1 : 1)).slice(0, most) : known
  return {
    terms: new Map(chosen.map(({ term, weight }) => [term, weight])),
    attainable: chosen.reduce((sum, { weight, idf }) => sum + weight * idf * SATURATION, 0),
  }
}
