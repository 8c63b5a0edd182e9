import type { JobAnswer } from '../contract/job.ts'
import { toWireJob } from '../contract/job-answer.ts'
import type { JobStore, StoredJob } from '../jobs/store/job-store.ts'
import type { Notification } from '../jobs/store/notification-store.ts'
import type { Callbacks } from '../outbound/callbacks.ts'
import { createLane, type Lane } from './lane.ts'
import type { Log } from './log.ts'
import { createOutbox } from './outbox.ts'

/** What telling by callbacks needs. */
interface CallbackNoticesDeps {
  jobs: Pick<JobStore, 'find' | 'input' | 'notifications'>
  deliver: Callbacks['deliver']
  log: Log
  closing: AbortSignal
  /** Cuts off what is being sent. */
  cutOff: AbortSignal
  onError: (error: unknown, lane: Lane) => void
}

/** A receiver that does not answer holds one for half a minute. */
const MAX_AT_ONCE = 16

/** The question of a waiting job, as `GET /jobs/{id}` has it. */
function waitingBody(job: StoredJob): Pick<JobAnswer, 'id' | 'type' | 'project_name' | 'status' | 'request'> {
  const { id, type, project_name: projectName, status, request } = toWireJob({ ...job, queuePosition: null })
  return { id, type, project_name: projectName, status, request }
}

/** Posts to the `callback_url` of jobs that they wait. */
export function createCallbackNotices(deps: CallbackNoticesDeps): Pick<Lane, 'run' | 'idle'> {
  const { jobs, deliver, log, closing, cutOff, onError } = deps
  const outbox = createOutbox(jobs, 'callback')
  const underWay = new Map<number, Promise<void>>()

  async function tell(notification: Notification): Promise<void> {
    const job = await outbox.jobOf(notification)
    const url = job === null ? undefined : (await jobs.input(job.seq)).callback_url
    if (job !== null && typeof url === 'string') {
      const body = JSON.stringify({ event: 'job.waiting', ...waitingBody(job) })
      const id = `waiting-${job.id}-${notification.id}` // the same after a restart
      const delivery = await deliver({ url, id, body, signal: cutOff })
      if (!delivery.delivered) {
        const { tries, reason } = delivery
        log.warn({ job: job.id, tries }, `callback_url was not told that the job waits: ${reason}`)
      }
    }
    await outbox.mark(notification, null)
  }

  const lane = createLane(
    async ({ run }) => {
      for (const row of await outbox.pending()) {
        if (underWay.size >= MAX_AT_ONCE) return // the end of one begins the next
        if (underWay.has(row.id)) continue
        const told = tell(row)
          .finally(() => underWay.delete(row.id))
          .then(run, (error: unknown) => onError(error, lane)) // after an error it would be tried again at once
        underWay.set(row.id, told)
      }
    },
    { onError, closing },
  )
  return {
    run: lane.run,
    async idle() {
      await lane.idle()
      await Promise.all(underWay.values())
    },
  }
}
