import type { Config } from '../config.ts'
import { FaultlineError } from '../core/errors.ts'
import { isTerminal, type JobStatus } from '../core/job.ts'
import type { Projects } from '../indexer/projects.ts'
import type { JobDefinitions } from '../jobs/job-definition.ts'
import type { DiskRoom } from '../jobs/disk-room.ts'
import { Jobs, type JobsOptions } from '../jobs/jobs.ts'
import type { RunEvent } from '../jobs/run/runner.ts'
import type { JobStore, StoredJob } from '../jobs/store/job-store.ts'
import type { FindSource } from '../jobs/task-of.ts'
import { redactTexts } from '../llm/redaction/redact-values.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Log } from './log.ts'

/** What a run ended in, where the status alone says too little. */
const SENTENCES: Readonly<Partial<Record<JobStatus, string>>> = {
  queued: 'goes on later: its finished steps are kept',
  waiting: 'waits for a person',
}

/** What jobs are made of. */
interface JobServiceDeps {
  store: JobStore
  /** Nothing for a process that works alone. */
  sharing: Pick<JobsOptions, 'handOut' | 'newsLine' | 'fileBytes'>
  definitions: JobDefinitions
  sandbox: Pick<Sandbox, 'remove'>
  log: Log
  disk: DiskRoom
  projects: Pick<Projects, 'sourceOf'>
  /** Hears of each job of a task that has ended. */
  taskEnded: (job: StoredJob) => void
  /** Hears of each job of a feature that has ended. */
  featureEnded: (job: Pick<StoredJob, 'id' | 'projectName'>) => void
  /** Hears of each job that begins or ceases to wait, or ends. */
  changed: () => void
}

/** What was indexed of a project; null of one that was deleted since its request was checked. */
async function sourceOf(
  projects: JobServiceDeps['projects'],
  ...asked: Parameters<FindSource>
): ReturnType<FindSource> {
  try {
    return await projects.sourceOf(...asked)
  } catch (error) {
    if (error instanceof FaultlineError) return null
    throw error
  }
}

/** A line for the begin and one for the end of each run; `reqId` is that of the request that made the job. */
function logRun(log: Log, { job, status, code, durationMs }: RunEvent): void {
  const about = { job: job.id, type: job.type, project: job.projectName, reqId: job.requestId }
  if (status === 'running') {
    log.info(about, 'job begins')
    return
  }
  log.info({ ...about, status, code, duration_ms: Math.round(durationMs) }, `job ${SENTENCES[status] ?? status}`)
}

/** Jobs as the configuration limits them. */
export const createJobService = (
  config: Config,
  { store, sharing, definitions, sandbox, log, disk, projects, taskEnded, featureEnded, changed }: JobServiceDeps,
): Jobs =>
  new Jobs({
    store,
    ...sharing,
    isWorker: config.node.roles.includes('worker'),
    definitions,
    concurrency: config.jobsConcurrency,
    queueLimit: config.queueLimit,
    retentionDays: config.retentionDays,
    retentionBytes: config.retentionBytes,
    replyTimeoutDays: config.replyTimeoutDays,
    knowsPrices: config.modelPrices.size > 0,
    workspacesDir: config.workspacesDir,
    removeFolder: sandbox.remove,
    diskRoom: disk,
    findSource: (...asked) => sourceOf(projects, ...asked),
    withoutSecrets: redactTexts,
    onRun(event) {
      logRun(log, event)
      changed()
      if (!isTerminal(event.status)) return
      if (event.job.type === 'task') taskEnded(event.job)
      if (event.job.type === 'feature') featureEnded(event.job)
    },
    onError: (error, job) =>
      log.error(
        { err: error, job: job?.id, type: job?.type },
        job === null ? 'the upkeep of jobs failed' : 'job failed',
      ),
  })
