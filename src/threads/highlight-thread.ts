import { startThread } from './entry.ts'
import type { CodeLines, HighlightWorker } from './highlight-worker.ts'
import { remoteOf, type Peer } from './rpc.ts'

/** A grammar that takes longer is caught in a text that was made for it. */
const TIMEOUT_MS = 3_000
/** What the grammars take goes back when nobody has looked for so long. */
const IDLE_MS = 20_000
/** A page is some hundred kilobytes. */
const YOUNG_GENERATION_MB = 2

interface HighlightThreadOptions {
  timeoutMs?: number
  idleMs?: number
  onCrash: (error: unknown) => void
}

/** Highlights code in a thread, which begins with the first text and ends when it is not needed. */
interface HighlightThread {
  /** Lines of markup for each text; null where its language has no grammar, or where there was no time. */
  highlight(texts: readonly CodeLines[]): Promise<ReadonlyArray<readonly string[] | null>>
  close(): Promise<void>
}

/** Makes the thread's side here; nothing is started. */
export function createHighlightThread({
  timeoutMs = TIMEOUT_MS,
  idleMs = IDLE_MS,
  onCrash,
}: HighlightThreadOptions): HighlightThread {
  let peer: Peer | null = null
  let idle: NodeJS.Timeout | undefined
  let underWay = 0
  const remote = remoteOf<HighlightWorker>(() => (peer = startThread('highlight-worker', {}, YOUNG_GENERATION_MB)), {
    onCrash,
  })

  function end(): void {
    peer?.terminate().catch(onCrash)
    peer = null
  }

  return {
    async highlight(texts) {
      clearTimeout(idle)
      underWay++
      const timer = setTimeout(end, timeoutMs)
      try {
        return await remote.highlight(texts)
      } catch {
        return texts.map(() => null) // the code is shown without colours
      } finally {
        clearTimeout(timer)
        underWay--
        if (underWay === 0) idle = setTimeout(end, idleMs).unref()
      }
    },
    async close() {
      clearTimeout(idle)
      await remote.close()
    },
  }
}
