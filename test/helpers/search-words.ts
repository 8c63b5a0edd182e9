import { tokenize } from '../../src/core/tokenize.ts'
import type { FoundChunk, GenerationReader } from '../../src/vecstore/generation-reader.ts'

/** The chunks that share words with a text, best first. */
export const searchWords = ({ searchTerms }: GenerationReader, text: string, k: number): FoundChunk[] =>
  searchTerms(new Map(tokenize(text).map(term => [term, 1])), k)
