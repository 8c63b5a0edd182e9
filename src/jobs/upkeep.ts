import type { JsonObject } from '../core/job.ts'
import type { JobFolders } from './files/job-folders.ts'
import type { JobStore } from './store/job-store.ts'
import type { Retention } from './retention.ts'
import type { Scheduler } from './run/scheduler.ts'
import type { Expired } from './waiting.ts'

export interface UpkeepDeps {
  store: Pick<JobStore, 'find' | 'unanswered' | 'answer'>
  scheduler: Pick<Scheduler, 'schedule' | 'isStopping'>
  folders: Pick<JobFolders, 'sweep'>
  retention: Pick<Retention, 'prune'>
  announce: (id: string) => void
  replyTimeoutDays: number
  now: () => Date
  onError: (error: unknown) => void
}

const DAY_MS = 86_400_000
const PRUNE_INTERVAL_MS = 3_600_000
const EXPIRY_INTERVAL_MS = 60_000

/**
 * What is done at the start and from time to time: to sweep what a dead process left, to forget old jobs, to end waits
 * that nobody answers.
 */
export function createUpkeep({
  store,
  scheduler,
  folders,
  retention,
  announce,
  replyTimeoutDays,
  now,
  onError,
}: UpkeepDeps) {
  const timers: NodeJS.Timeout[] = []
  let swept: Promise<void> | undefined
  const whenBroken = (error: unknown) => {
    if (!scheduler.isStopping()) onError(error)
  }
  const prune = () => {
    retention.prune(scheduler.isStopping).catch(whenBroken)
  }

  /**
   * Lets jobs that nobody answered go on to their end: their bodies are told, so that whoever waits for a callback is,
   * too.
   */
  function expire(): void {
    const since = new Date(now().getTime() - replyTimeoutDays * DAY_MS)
    for (const { job, since: asked } of store.unanswered(since)) {
      const reply: Expired & JsonObject = { expired: true, since: asked }
      store.answer(job, { reply, budget: null, note: 'nobody replied in time' }, () => {})
      announce(job.id)
    }
    scheduler.schedule()
  }

  /** On a timer nobody would hear of a full disk. */
  function expireOnTime(): void {
    try {
      expire()
    } catch (error) {
      whenBroken(error)
    }
  }

  return {
    start(): void {
      swept = folders.sweep(id => store.find(id) !== null).then(prune, whenBroken)
      expire()
      timers.push(setInterval(prune, PRUNE_INTERVAL_MS), setInterval(expireOnTime, EXPIRY_INTERVAL_MS))
      for (const timer of timers) timer.unref()
    },
    /** Resolves when nothing is left of a dead process. */
    swept: (): Promise<void> | undefined => swept,
    stop(): void {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
