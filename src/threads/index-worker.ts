import module from 'node:module'
import type { IndexResult } from '../core/project.ts'
import { createApiEmbedder } from '../embedding/api-embedder.ts'
import type { Embedder } from '../embedding/embedder.ts'
import { createLocalEmbedder } from '../embedding/local-embedder.ts'
import { rememberingOpenFit } from '../embedding/lsa/lsa-file.ts'
import { LSA } from '../embedding/lsa/lsa.ts'
import { indexRepository as index, type IndexRequest } from '../indexer/index-repository.ts'
import type { EmbeddingsOptions } from '../llm/client/embeddings.ts'
import type { ContentHelper } from '../indexer/content-queue.ts'
import { contentTools, countRowsOf, type ContentWorker, type ContentWorkerData } from './content-worker.ts'
import { startThread } from './entry.ts'
import type { IndexProgress } from '../indexer/throttle.ts'
import { remoteOf, serve, type Channel } from './rpc.ts'
import { listTree, readBlobs } from '../repos/objects/objects.ts'
import { countTokens } from '../tokens/o200k.ts'
import { openEmbeddingCache } from '../vecstore/vectors/embedding-cache.ts'
import { VocabularyReader } from '../vecstore/lexical/chunk-terms.ts'
import { openStore } from '../vecstore/store.ts'

/** What the process that makes indexes knows of the configuration. */
export interface IndexWorkerData {
  vectorStoreDir: string
  /** The model server to embed with; null for the built-in embedder. */
  embedding: EmbeddingsOptions | null
  chunker: 'scopes' | 'lines'
  /** Free space below which no index is begun. */
  minFreeBytes?: number
}

/** What the process serves. */
export interface IndexFunctions {
  /**
   * Indexes one repository. The process is ended to cancel, at any instant, so nothing here relies on being cleaned up:
   * an interrupted build is a folder that the next build or start removes.
   */
  indexRepository(
    request: IndexRequest,
    options: { onProgress: (progress: IndexProgress) => void },
  ): Promise<IndexResult>
  /**
   * Resolves when all is loaded that an index needs.
   *
   * @param options.withHelper - Starts the thread, too, that shares the work of a large repository.
   */
  warmUp(options: { withHelper: boolean }): Promise<void>
  close(): Promise<void>
}

const learned = { ...LSA, openFit: rememberingOpenFit() }

async function apiEmbedder(
  embedding: EmbeddingsOptions,
  vectorStoreDir: string,
  parts: DisposableStack,
): Promise<Embedder> {
  const { createEmbeddingsRequest } = await import('../llm/client/embeddings.ts')
  return createApiEmbedder({
    model: embedding.model,
    request: createEmbeddingsRequest(embedding),
    cache: parts.use(openEmbeddingCache(vectorStoreDir)),
  })
}

/** A thread that makes contents, until it is disposed of. It starts when it is first called, and ends with this one. */
function contentHelper(data: ContentWorkerData): ContentHelper & Pick<ContentWorker, 'warmUp'> {
  const remote = remoteOf<ContentWorker>(() => startThread('content-worker', { ...data, servesContents: true }), {
    onCrash: () => {}, // what it had is made here
  })
  const vocabulary = new VocabularyReader()
  return {
    async make(texts) {
      const { contents, terms } = await remote.make(texts)
      const counted = vocabulary.take(terms)
      return contents.map((content, i) => ({ ...content, terms: counted[i] }))
    },
    countRows: cataloguePath => remote.countRows(cataloguePath),
    warmUp: () => remote.warmUp(),
    async [Symbol.asyncDispose]() {
      await remote.close()
    },
  }
}

/** Serves what makes indexes to the other side of the channel. */
export function serveIndexing(
  channel: Channel,
  { vectorStoreDir, minFreeBytes, embedding, chunker }: IndexWorkerData,
): void {
  const store = openStore(vectorStoreDir, { minFreeBytes }) // it remembers which files it found whole
  /** A helper that waits for the next index, and ends with it where that is small. */
  let warm: ReturnType<typeof contentHelper> | null = null

  async function endWarm(): Promise<void> {
    const unused = warm
    warm = null
    try {
      await unused?.[Symbol.asyncDispose]()
    } catch {
      // nothing was asked of it
    }
  }

  const functions: IndexFunctions = {
    async indexRepository(request, { onProgress }) {
      using parts = new DisposableStack()
      const deps = {
        listTree,
        readBlobs,
        store,
        embedder: embedding === null ? createLocalEmbedder() : await apiEmbedder(embedding, vectorStoreDir, parts),
        learned: embedding === null ? learned : undefined,
        ...contentTools({ chunker }),
        startHelper() {
          const started = warm ?? contentHelper({ chunker })
          warm = null
          return started
        },
        countRowsOf,
      }
      try {
        return await index(request, deps, { onProgress })
      } finally {
        await endWarm()
      }
    },
    async warmUp({ withHelper }) {
      if (withHelper) {
        warm ??= contentHelper({ chunker })
        warm.warmUp().catch(() => {}) // without it the index takes longer, and is the same
      }
      countTokens('') // reads its table
      module.flushCompileCache() // the process may be killed
    },
    close: async () => {},
  }
  serve(channel, functions)
}
