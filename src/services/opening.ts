import { FaultlineError } from '../core/errors.ts'
import { LARGE_CHUNKS } from '../core/project.ts'
import type { Log } from './log.ts'
import type { ResolveThreads } from './resolve-threads.ts'
import type { Rush } from './rush.ts'

/**
 * An index with fewer chunks opens, and answers at first, in no time; a large one takes so long to answer that practice
 * would hold up who asks.
 */
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
   * Opens what is published of a project in the process that will answer. Does not wait.
   *
   * @param practise - Whether it practises with it as long as no trace is being located.
   */
  open(project: string, options: { practise: boolean }): void
}

/** A project may be deleted or made anew at any time. */
const isGone = (error: unknown): boolean =>
  error instanceof FaultlineError && (error.code === 'PROJECT_NOT_FOUND' || error.code === 'INDEX_NOT_READY')

/** Who indexes a project soon asks it: the process that will answer opens it now. */
export function createOpener({ threads, chunksOf, rush, log, closing }: OpeningDeps): Opener {
  async function openNow(projectName: string, practise: boolean): Promise<void> {
    await threads.runFor(projectName, 'prepare', { projectName })
    const chunks = practise ? await chunksOf(projectName) : 0
    if (chunks < REHEARSED_CHUNKS || chunks >= LARGE_CHUNKS) return
    const isWanted = (): boolean => !rush.isAnswering && !closing.aborted
    while (isWanted() && (await threads.runFor(projectName, 'rehearse', { projectName })));
  }

  /** One after the other: two at once would have the second one start another process when it waits too long. */
  let opened: Promise<void> = Promise.resolve()

  async function openNext(projectName: string, practise: boolean): Promise<void> {
    await opened
    try {
      if (!closing.aborted) await openNow(projectName, practise)
    } catch (error) {
      if (closing.aborted || isGone(error)) return
      log.warn({ err: error, project: projectName }, 'what was indexed could not be opened')
    }
  }

  return {
    open(projectName, { practise }) {
      opened = openNext(projectName, practise)
    },
  }
}
