import type { Jobs } from '../jobs/jobs.ts'
import type { InstallJobs } from '../pipelines/steps/environment.ts'
import { FaultlineError } from '../core/errors.ts'
import { isObject } from '../core/is-object.ts'
import { isTerminal, type Job } from '../core/job.ts'

const TYPE = 'environment'
/** Jobs beside the others that are looked at; more of them are not open at once. */
const MAX_OPEN = 200
const TURN_MS = 60_000

/** What is known of several nodes. */
interface Nodes {
  /** The name of this node; null for a process that works alone. */
  node: string | null
}

/** The node that the result of an install names; null for one that did not come so far. */
function nodeIn({ result }: Pick<Job, 'result'>): string | null {
  return isObject(result) && typeof result.node === 'string' ? result.node : null
}

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
 * The jobs that install, as other jobs make them and wait for them. Of several nodes each installs what its own jobs
 * need.
 *
 * @param made - The jobs, as soon as they are there.
 */
export function createInstallJobs(made: Promise<Jobs>, { node }: Nodes): InstallJobs {
  return {
    async findOpen(key) {
      const jobs = await made
      for (const status of ['running', 'queued'] as const) {
        for (const { id } of await jobs.list({ type: TYPE, status }, MAX_OPEN, null)) {
          const input = await unlessGone(jobs.input(id))
          if (input?.key === key && (node === null || input.node === node)) return id
        }
      }
      return null
    },
    async create(input, keyName) {
      const jobs = await made
      const { job } = await jobs.create(TYPE, node === null ? input : { ...input, node }, { keyName })
      return job.id
    },
    async settled(id, signal) {
      const jobs = await made
      for (;;) {
        const job = await unlessGone(jobs.settled(id, TURN_MS, signal))
        if (job === null) return null
        const { status, error } = job
        const isElsewhere = isTerminal(status) && node !== (nodeIn(job) ?? node)
        if (isTerminal(status) || signal.aborted) return { status, error, isElsewhere }
      }
    },
    async statusOf(id) {
      const jobs = await made
      return (await unlessGone(jobs.get(id)))?.status ?? null
    },
  }
}
