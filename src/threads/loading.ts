import { setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'

/**
 * Says whether threads of a pool are loading their module. A thread that is ended while it loads a native addon takes
 * the whole process with it: the addon's start fails, and nobody is there to catch that. So the pool waits for the end
 * of it. The module of a thread imports this one first, and calls `loaded` last.
 */
interface Loading {
  threadsLoading: Int32Array
}

/** A count of loading threads, for one pool; none load yet. */
export const createLoading = (): Loading => ({
  threadsLoading: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
})

const LOADING_POLL_MS = 5
/** It takes half a second, on a machine that has other work some seconds. */
const MAX_LOADING_MS = 20_000

/** Resolves as soon as no thread loads its module. */
export async function untilLoaded({ threadsLoading }: Loading): Promise<void> {
  for (let waited = 0; Atomics.load(threadsLoading, 0) > 0 && waited < MAX_LOADING_MS; waited += LOADING_POLL_MS) {
    await wait(LOADING_POLL_MS)
  }
}

/**
 * In a thread: tinypool hands the pool's data on as the second of two. Outside of one, as in tests that call a thread's
 * functions, there is none.
 */
const [, own] = Array.isArray(workerData) ? (workerData as [unknown, Partial<Loading>?]) : []
const ownLoading = own?.threadsLoading
if (ownLoading !== undefined) Atomics.add(ownLoading, 0, 1)

/** Says that this thread has loaded its module. To be called last in the module. */
export function loaded(): void {
  if (ownLoading !== undefined) Atomics.sub(ownLoading, 0, 1)
}
