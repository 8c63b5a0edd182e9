import { FaultlineError } from '../core/errors.ts'
import { LARGE_CHUNKS } from '../core/project.ts'
import type { Log } from './log.ts'
import type { ResolveThreads } from './resolve-threads.ts'
import type { Rush } from './rush.ts'

/**
 * An index with fewer chunks opens, and answers at first, in no time; a large one has a single process, which must stay
 * free.
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
   * Opens what is published of a project in the processes that will answer. Does not wait.
   *
   * @param practise - Whether they practise with it as long as no trace is being located.
   */
  open(project: string, options: { processes: number; practise: boolean }): void
}

/** A project may be deleted or made anew at any time. */
const isGone = (error: unknown): boolean =>
  error instanceof FaultlineError && (error.code === 'PROJECT_NOT_FOUND' || error.code === 'INDEX_NOT_READY')

/** Who indexes a project soon asks it: the processes that will answer open it now. */
export function createOpener({ threads, chunksOf, rush, log, closing }: OpeningDeps): Opener {
  async function openInOne(projectName: string, practise: boolean): Promise<void> {
    await threads.runFor(projectName, 'prepare', { projectName })
    const chunks = practise ? await chunksOf(projectName) : 0
    if (chunks < REHEARSED_CHUNKS || chunks >= LARGE_CHUNKS) return
    const isWanted = (): boolean => !rush.isAnswering && !closing.aborted
    while (isWanted() && (await threads.runFor(projectName, 'rehearse', { projectName })));
  }

  async function openInSome(projectName: string, processes: number, practise: boolean): Promise<void> {
    const all = Array.from({ length: processes }, () => openInOne(projectName, practise))
    for (const result of await Promise.allSettled(all)) {
      if (result.status === 'fulfilled' || closing.aborted || isGone(result.reason)) continue
      log.warn({ err: result.reason, project: projectName }, 'what was indexed could not be opened')
    }
  }

  return {
    open(projectName, { processes, practise }) {
      // it waits for all and rejects with none
      openInSome(projectName, processes, practise).catch(() => {})
    },
  }
}
