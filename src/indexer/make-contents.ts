import type { BlobContent } from '../vecstore/catalogue/catalogue-writer.ts'
import type { FileContent } from '../vecstore/generation-builder.ts'
import { outlineOf } from '../outline/outline.ts'
import type { Chunker } from './chunker.ts'

/** A text that is to be indexed; its lines end at `\n` (see `decodeSource`). */
export interface SourceText {
  /** Whose names its chunks are found by, too. */
  path: string
  text: string
  /** As `languageOf` names it. */
  language: string
}

/** What is made of a text before it is written; the text itself is left out, as whoever asked has it. */
export type MadeContent = Omit<FileContent, 'text'>

/** What contents are made with. */
export interface ContentTools {
  chunker: Chunker
  /** Tokens of a text's lines, by the rule of the resolver, who counts them itself where they are not in the index. */
  countRows?: (text: string) => Uint8Array
  /** Whether the tokens of lines are counted after all else, in place of with each content. */
  countsLater?: boolean
  /** Packs for the catalogue, which does it itself otherwise. */
  pack?: (text: string, outline: BlobContent['outline']) => NonNullable<BlobContent['packed']>
}

/** Outlines a text, cuts it into chunks and counts the tokens of its lines: some 15 MB of code a second. */
export function makeContent(
  { text, language }: Pick<SourceText, 'text' | 'language'>,
  { chunker, countRows, countsLater = false, pack }: ContentTools,
): MadeContent {
  const outline = outlineOf(text, language)
  return {
    outline,
    chunks: chunker.chunk(text, language, outline),
    rowTokens: countsLater ? 'later' : countRows?.(text),
    ...(pack === undefined ? {} : { packed: pack(text, outline) }),
  }
}
