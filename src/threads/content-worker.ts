import { parentPort, workerData } from 'node:worker_threads'
import { createLineChunker, createScopeChunker } from '../indexer/chunker.ts'
import { makeContent, type ContentTools, type MadeContent, type SourceText } from '../indexer/make-contents.ts'
import { createRowCounter } from '../resolver/context/row-counts.ts'
import { countAscii, countTokens } from '../tokens/o200k.ts'
import { packContent } from '../vecstore/format/packed-content.ts'
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

/** What the thread serves. */
export interface ContentWorker {
  make(texts: SourceText[]): Promise<MadeContent[]>
  close(): Promise<void>
}

/** Makes contents for whoever started the thread. */
function contentWorker(tools: ContentTools): ContentWorker {
  return {
    make: async texts => texts.map(text => makeContent(text, { ...tools, pack: packContent })),
    close: async () => {},
  }
}

if (parentPort !== null && (workerData as { servesContents?: boolean } | null)?.servesContents === true) {
  serve(parentPort, contentWorker(contentTools(workerData as ContentWorkerData)))
}
