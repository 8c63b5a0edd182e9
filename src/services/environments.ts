import type { Jobs } from '../jobs/jobs.ts'
import type { InstallJobs } from '../pipelines/steps/environment.ts'
import { FaultlineError } from '../core/errors.ts'
import { isTerminal } from '../core/job.ts'

const TYPE = 'environment'
/** Jobs beside the others that are looked at; more of them are not open at once. */
const MAX_OPEN = 200
const TURN_MS = 60_000

/** What was asked of a job; null for one that is gone. */
async function unlessGone<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof FaultlineError && error.code === 'JOB_NOT_FOUND') return null
    throw error
  }
}

/**
 * The jobs that install, as other jobs make them and wait for them.
 *
 * @param made - The jobs, as soon as they are there.
 */
export function createInstallJobs(made: Promise<Jobs>): InstallJobs {
  return {
    async findOpen(key) {
      const jobs = await made
      for (const status of ['running', 'queued'] as const) {
        for (const { id } of await jobs.list({ type: TYPE, status }, MAX_OPEN, null)) {
          if ((await unlessGone(jobs.input(id)))?.key === key) return id
        }
      }
      return null
    },
    async create(input, keyName) {
      const jobs = await made
      const { job } = await jobs.create(TYPE, input, { keyName })
      return job.id
    },
    async settled(id, signal) {
      const jobs = await made
      for (;;) {
        const job = await unlessGone(jobs.settled(id, TURN_MS, signal))
        if (job === null || isTerminal(job.status) || signal.aborted) return job
      }
    },
    async statusOf(id) {
      const jobs = await made
      return (await unlessGone(jobs.get(id)))?.status ?? null
    },
  }
}
