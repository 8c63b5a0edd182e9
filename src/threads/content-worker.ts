import { parentPort, workerData } from 'node:worker_threads'
import { createLineChunker, createScopeChunker } from '../indexer/chunker.ts'
import { makeContent, type ContentTools, type MadeContent, type SourceText } from '../indexer/make-contents.ts'
import { createRowCounter } from '../resolver/context/row-counts.ts'
import { countAscii, countTokens } from '../tokens/o200k.ts'
import { packContent } from '../vecstore/format/packed-content.ts'
import { countUncounted, type CountedRows } from '../vecstore/catalogue/row-tokens.ts'
import { BatchCounter, type CountedBatch } from '../vecstore/lexical/chunk-terms.ts'
import { serve } from './rpc.ts'

/** What a thread that helps to index is started with. */
export interface ContentWorkerData {
  chunker: 'scopes' | 'lines'
}

/**
 * What contents are made with, here and in the thread that indexes. Loads no native addon, so the thread may be ended
 * at any time.
 */
export const contentTools = ({ chunker }: ContentWorkerData): ContentTools => ({
  chunker: chunker === 'lines' ? createLineChunker() : createScopeChunker(),
  countRows: createRowCounter({ countTokens, countAscii }),
})

/** Contents, with the terms of each of them aside. */
interface MadeBatch {
  contents: MadeContent[]
  terms: CountedBatch
}

/** What the thread serves. */
export interface ContentWorker {
  make(texts: SourceText[]): Promise<MadeBatch>
  countRows(cataloguePath: string): Promise<CountedRows[]>
  /** Resolves when all is loaded. */
  warmUp(): Promise<void>
  close(): Promise<void>
}

/** Counts what was left for later, in this thread. */
export const countRowsOf = (cataloguePath: string): CountedRows[] =>
  countUncounted(cataloguePath, createRowCounter({ countTokens, countAscii }))

/** Makes contents for whoever started the thread. */
function contentWorker(tools: ContentTools): ContentWorker {
  const counter = new BatchCounter()
  return {
    async make(sources) {
      const contents = sources.map(source => makeContent(source, { ...tools, countsLater: true, pack: packContent }))
      const files = sources.map(({ path, text }, i) => ({
        path,
        texts: (contents[i]?.chunks ?? []).map(({ startOffset, endOffset }) => text.slice(startOffset, endOffset)),
      }))
      return { contents, terms: counter.count(files) }
    },
    countRows: async cataloguePath => countRowsOf(cataloguePath),
    warmUp: async () => {},
    close: async () => {},
  }
}

if (parentPort !== null && (workerData as { servesContents?: boolean } | null)?.servesContents === true) {
  serve(parentPort, contentWorker(contentTools(workerData as ContentWorkerData)))
}
