import type { JobStore, StoredJob } from '../jobs/store/job-store.ts'
import type { Notification, NotificationChannel } from '../jobs/store/notification-store.ts'

/** The notifications of one channel that are still to be sent. */
interface Outbox {
  /** The oldest first. */
  pending(): Promise<Notification[]>
  /** The job that a notification is about, as it is now; null for one that is not worth sending any more. */
  jobOf(notification: Notification): Promise<StoredJob | null>
  /** Notes that one was sent, or is not to be. @param messageId - Of a message with buttons. */
  mark(notification: Notification, messageId: number | null): Promise<void>
}

/** The news of an end is old by then. */
const MAX_AGE_MS = 86_400_000

/** Reads and marks what is stored for a channel. */
export function createOutbox(jobs: Pick<JobStore, 'find' | 'notifications'>, channel: NotificationChannel): Outbox {
  const { notifications } = jobs
  /** What was sent and could not be marked, as on a full disk: it is not sent again by this process. */
  const unmarked = new Map<number, number | null>()

  async function mark({ id }: Notification, messageId: number | null): Promise<void> {
    unmarked.set(id, messageId)
    await notifications.sent(id, messageId)
    unmarked.delete(id)
  }

  return {
    async pending() {
      const rows = await notifications.pending(channel)
      for (const row of rows.filter(({ id }) => unmarked.has(id))) await mark(row, unmarked.get(row.id) ?? null)
      return notifications.pending(channel)
    },
    async jobOf({ id, jobId, event, at }) {
      if (event === 'done') return Date.now() - Date.parse(at) > MAX_AGE_MS ? null : jobs.find(jobId)
      // others were sent since it was read, which may take long
      const isOpen = (await notifications.find(id))?.isOpen ?? false
      return isOpen ? jobs.find(jobId) : null
    },
    mark,
  }
}
