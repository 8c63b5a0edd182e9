import { once } from '../core/once.ts'
import { LARGE_CHUNKS } from '../core/project.ts'
import { Semaphore } from '../core/semaphore.ts'
import type { CloneDeps, StepOptions } from '../pipelines/clone/run.ts'
import { WORKER_THREADS, type ThreadStarter } from '../threads/entry.ts'
import type { IndexFunctions } from '../threads/index-worker.ts'
import { remoteOf, type Peer } from '../threads/rpc.ts'
import type { Log } from './log.ts'

const AT_ONCE = 1 // one of two cores stays free for HTTP and searches
/** What comes within this time, as a push of several commits does, finds the process loaded. */
const IDLE_MS = 15_000
/** To make so many took hundreds of megabytes, which a process that waits would keep. */
const MANY_CHUNKS = 2_000

/** What makes indexes, in a process that ends when there is nothing to index. */
export interface Indexing {
  /**
   * Starts the process, which takes a moment; that it could not be started is seen by whoever indexes next.
   *
   * @param isNew - Whether nothing is indexed yet, so that there may be much to do.
   * @returns To be called when there is something to index, or will be nothing: until then the process stays.
   */
  prepare(isNew: boolean): () => void
  /** Aborting ends the process at once, whatever it does. */
  indexRepository(
    request: Parameters<CloneDeps['indexRepository']>[0],
    options: StepOptions,
  ): ReturnType<CloneDeps['indexRepository']>
  close(): Promise<void>
}

interface IndexingOptions {
  log: Log
  starter?: ThreadStarter
  idleMs?: number
  /** Variables of the process. */
  env?: NodeJS.ProcessEnv
}

/** Starts the process that makes indexes with the first of them, and again after its end. */
export function startIndexing(
  workerData: object,
  { log, starter = WORKER_THREADS, idleMs = IDLE_MS, env }: IndexingOptions,
): Indexing {
  let peer: Peer | undefined
  let ending: Promise<unknown> = Promise.resolve()
  let isEnding = false
  let running = 0
  let idle: NodeJS.Timeout | undefined
  const permits = new Semaphore(AT_ONCE)
  const remote = remoteOf<IndexFunctions>(() => (peer = starter.indexing(workerData, env)), {
    onCrash(error) {
      if (!isEnding) log.error({ err: error }, 'the process that makes indexes broke down; the next one starts another')
    },
  })

  /** What the process took goes back to the machine. */
  async function end(): Promise<void> {
    clearTimeout(idle)
    isEnding = true
    ending = peer?.terminate() ?? ending
    peer = undefined
    await ending
    isEnding = false
  }

  const endUnseen = (): void => {
    end().catch((error: unknown) => log.error({ err: error }, 'the process that makes indexes could not be ended'))
  }

  function endWhenIdle(): void {
    clearTimeout(idle)
    if (running === 0) idle = setTimeout(endUnseen, idleMs).unref()
  }

  return {
    prepare(isNew) {
      remote.warmUp({ withHelper: isNew }).catch(() => {})
      clearTimeout(idle)
      running++
      return once(() => {
        running--
        endWhenIdle()
      })
    },
    async indexRepository(request, { signal, onProgress }) {
      await permits.acquire(signal)
      running++
      clearTimeout(idle)
      signal.addEventListener('abort', endUnseen)
      try {
        await ending
        signal.throwIfAborted()
        const result = await remote.indexRepository(request, { onProgress })
        // before a thread opens what was made
        if (result.chunksAdded >= MANY_CHUNKS || result.chunksTotal >= LARGE_CHUNKS) await end()
        return result
      } catch (error) {
        signal.throwIfAborted()
        throw error
      } finally {
        signal.removeEventListener('abort', endUnseen)
        running--
        endWhenIdle()
        permits.release()
      }
    },
    async close() {
      await end()
      await remote.close() // nothing starts another
    },
  }
}
