import { loaded } from './loading.ts' // first: it counts this thread as loading
import type { MessagePort } from 'node:worker_threads'
import { Tinypool } from 'tinypool'
import type { IndexResult } from '../core/project.ts'
import { createApiEmbedder } from '../embedding/api-embedder.ts'
import type { Embedder } from '../embedding/embedder.ts'
import { createLocalEmbedder } from '../embedding/local-embedder.ts'
import { rememberingOpenFit } from '../embedding/lsa/lsa-file.ts'
import { LSA } from '../embedding/lsa/lsa.ts'
import { indexRepository as index, type IndexRequest } from '../indexer/index-repository.ts'
import type { EmbeddingsOptions } from '../llm/client/embeddings.ts'
import type { ContentHelper } from '../indexer/content-queue.ts'
import { contentTools, type ContentWorker, type ContentWorkerData } from './content-worker.ts'
import { startThread } from './entry.ts'
import { remoteOf } from './rpc.ts'
import { replyOf, type TaskReply } from './task.ts'
import { listTree, readBlobs } from '../repos/objects/objects.ts'
import { countTokens } from '../tokens/o200k.ts'
import { openEmbeddingCache } from '../vecstore/vectors/embedding-cache.ts'
import { openStore, type Store } from '../vecstore/store.ts'

/** What the pool gives each thread as its `workerData`. */
export interface IndexWorkerData {
  vectorStoreDir: string
  /** The model server to embed with; null for the built-in embedder. */
  embedding: EmbeddingsOptions | null
  chunker: 'scopes' | 'lines'
  /** Free space below which no index is begun. */
  minFreeBytes?: number
}

/** What the pool gives `indexRepository`. */
export interface IndexTask {
  request: IndexRequest
  /** Gets `{ progress }` messages. */
  port: MessagePort
  /** In place of the pool's `workerData`. */
  settings?: IndexWorkerData
}

const learned = { ...LSA, openFit: rememberingOpenFit() }

/** The last one that was used: it remembers which files it found whole. */
let lastStore: { vectorStoreDir: string; minFreeBytes: number | undefined; store: Store } | null = null

function storeAt(vectorStoreDir: string, minFreeBytes: number | undefined): Store {
  if (lastStore?.vectorStoreDir !== vectorStoreDir || lastStore.minFreeBytes !== minFreeBytes) {
    lastStore = { vectorStoreDir, minFreeBytes, store: openStore(vectorStoreDir, { minFreeBytes }) }
  }
  return lastStore.store
}

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

/** A thread that makes contents, until it is disposed of. It ends with this one. */
function startContentHelper(data: ContentWorkerData): ContentHelper {
  const remote = remoteOf<ContentWorker>(() => startThread('content-worker', { ...data, servesContents: true }), {
    onCrash: () => {}, // what it had is made here
  })
  return {
    make: texts => remote.make(texts),
    async [Symbol.asyncDispose]() {
      await remote.close()
    },
  }
}

/**
 * Indexes one repository in this thread. The pool ends the thread to cancel, at any instant, so nothing here relies on
 * being cleaned up: an interrupted build is a folder that the next build or start removes.
 */
export async function indexRepository({
  request,
  port,
  settings = Tinypool.workerData as IndexWorkerData,
}: IndexTask): Promise<TaskReply<IndexResult>> {
  return await replyOf(async () => {
    const { vectorStoreDir, minFreeBytes, embedding, chunker } = settings
    using parts = new DisposableStack()
    const deps = {
      listTree,
      readBlobs,
      store: storeAt(vectorStoreDir, minFreeBytes),
      embedder: embedding === null ? createLocalEmbedder() : await apiEmbedder(embedding, vectorStoreDir, parts),
      learned: embedding === null ? learned : undefined,
      ...contentTools({ chunker }),
      startHelper: () => startContentHelper({ chunker }),
    }
    return await index(request, deps, { onProgress: progress => port.postMessage({ progress }) })
  })
}

/** Loading this module is what takes time, and the table of tokens. */
export function warmUp(): void {
  countTokens('')
}

loaded()
