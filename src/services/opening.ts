import { FaultlineError } from '../core/errors.ts'
import type { Log } from './log.ts'
import type { ResolveThreads } from './resolve-threads.ts'
import type { Rush } from './rush.ts'

/** The first answers would wait for processes that have not opened it. */
const OPENED_IN = 2
/** While an index is still made, memory is short, and the processors are busy. */
const OPENED_EARLY_IN = 1
/** An index with fewer chunks opens, and answers at first, in no time. */
const REHEARSED_CHUNKS = 2_000

interface OpeningDeps {
  threads: Pick<ResolveThreads, 'runFor'>
  /** In the published index; 0 where there is none. */
  chunksOf: (project: string) => Promise<number>
  rush: Pick<Rush, 'isAnswering'>
  log: Pick<Log, 'warn'>
  /** Fires when the server begins to stop. */
  closing: AbortSignal
}

/** Has indexes open before anybody asks. */
export interface Opener {
  /**
   * Opens what is published of a project, and practises with it as long as nobody asks anything. Does not wait.
   *
   * @param isWhole - Whether nothing is indexed any more.
   */
  open(project: string, isWhole: boolean): void
}

/** A project may be deleted or made anew at any time. */
const isGone = (error: unknown): boolean =>
  error instanceof FaultlineError && (error.code === 'PROJECT_NOT_FOUND' || error.code === 'INDEX_NOT_READY')

/** Who indexes a project soon asks it: the processes that will answer open it now. */
export function createOpener({ threads, chunksOf, rush, log, closing }: OpeningDeps): Opener {
  async function openInOne(projectName: string): Promise<void> {
    await threads.runFor(projectName, 'prepare', { projectName })
    if ((await chunksOf(projectName)) < REHEARSED_CHUNKS) return
    const isWanted = (): boolean => !rush.isAnswering && !closing.aborted
    while (isWanted() && (await threads.runFor(projectName, 'rehearse', { projectName })));
  }

  async function openInSome(projectName: string, processes: number): Promise<void> {
    const all = Array.from({ length: processes }, () => openInOne(projectName))
    for (const result of await Promise.allSettled(all)) {
      if (result.status === 'fulfilled' || closing.aborted || isGone(result.reason)) continue
      log.warn({ err: result.reason, project: projectName }, 'what was indexed could not be opened')
    }
  }

  return {
    open(projectName, isWhole) {
      // it waits for all and rejects with none
      openInSome(projectName, isWhole ? OPENED_IN : OPENED_EARLY_IN).catch(() => {})
    },
  }
}
