import { setTimeout as delay } from 'node:timers/promises'
import { FaultlineError } from '../../core/errors.ts'
import { Semaphore } from '../../core/semaphore.ts'
import { MAX_LOSSES, type ClaimedJob, type JobStore } from '../store/job-store.ts'

/** What jobs that processes ended over are held back with. */
interface LossesOptions {
  store: Pick<JobStore, 'setBegun' | 'lossesOf'>
  /** Milliseconds within which a process that was taken for lost says that it lives; 0 where none can be. */
  doubtMs: number
}

/** Holds back jobs that may end this process. */
export interface Losses {
  /**
   * Resolves when the body of a job may begin. Of jobs that one more loss would end only one runs at a time, so that
   * none is blamed for another one.
   *
   * @returns Whether a permit is held, for `ended`.
   * @throws {FaultlineError} WORKER_LOST: too many processes ended over it. The signal's reason.
   */
  mayBegin(job: ClaimedJob, signal: AbortSignal): Promise<boolean>
  /** The run of a job that held a permit is over. */
  ended(): void
}

function lost({ lastStep }: ClaimedJob): FaultlineError {
  const where = lastStep === null ? 'before its first step ended' : `the last one in its step ${lastStep}`
  return new FaultlineError(
    'WORKER_LOST',
    `${MAX_LOSSES} processes of the server ended while they ran this job, ${where}.`,
    'Look for the reason in the log of the system, often too little memory; then POST /jobs/{id}/retry.',
  )
}

export function createLosses({ store, doubtMs }: LossesOptions): Losses {
  const alone = new Semaphore(1)

  async function isLost(job: ClaimedJob, signal: AbortSignal): Promise<boolean> {
    if (job.losses < MAX_LOSSES) return false
    await delay(doubtMs, undefined, { signal })
    return (await store.lossesOf(job)) >= MAX_LOSSES
  }

  return {
    async mayBegin(job, signal) {
      if (job.losses < MAX_LOSSES - 1) return false
      if (await isLost(job, signal)) throw lost(job)
      await alone.acquire(signal)
      try {
        await store.setBegun(job, true)
        return true
      } catch (error) {
        alone.release()
        throw error
      }
    },
    ended: () => alone.release(),
  }
}
