import type { Config } from '../config.ts'
import type { JobDefinitions } from '../jobs/job-definition.ts'
import type { DiskRoom } from '../jobs/disk-room.ts'
import { Jobs } from '../jobs/jobs.ts'
import type { JobStore } from '../jobs/store/job-store.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Log } from './log.ts'

/** What jobs are made of. */
interface JobServiceDeps {
  store: JobStore
  definitions: JobDefinitions
  sandbox: Pick<Sandbox, 'remove'>
  log: Log
  disk: DiskRoom
}

/** Jobs as the configuration limits them. */
export const createJobService = (config: Config, { store, definitions, sandbox, log, disk }: JobServiceDeps): Jobs =>
  new Jobs({
    store,
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
    onError: (error, job) =>
      log.error(
        { err: error, job: job?.id, type: job?.type },
        job === null ? 'the upkeep of jobs failed' : 'job failed',
      ),
  })
