import type { NotifyEvent } from '../../contract/primitives.ts'

/** Where a notification goes. */
export type NotificationChannel = 'callback' | 'telegram'

/** The news that a job waits, or has ended, for one channel. */
export interface Notification {
  /** Never used twice, also not for a job that was deleted. */
  id: number
  jobId: string
  event: NotifyEvent
  channel: NotificationChannel
  /** Name of the question; null for `done`. */
  asked: string | null
  /** When the status was stored that it tells of. */
  at: string
  /** Whether the job still waits with this very question; false for `done`. */
  isOpen: boolean
  /** What the channel calls the message that was sent; null where it was not, or nothing is left to do to it. */
  messageId: number | null
}

/**
 * What is to be told of jobs. The rows are written with the status that they tell of, in one transaction, and go with
 * their jobs: whoever sends them finds after a crash what was stored and not sent.
 */
export interface NotificationStore {
  /** What is not sent yet, the oldest first; at most 200. */
  pending(channel: NotificationChannel): Promise<Notification[]>
  /** What was sent with buttons for a question that is not open any more; at most 200. */
  outdated(): Promise<Notification[]>
  find(id: number): Promise<Notification | null>
  /** Notes that it was sent; with the number of a message that has buttons, until they are gone. */
  sent(id: number, messageId: number | null): Promise<void>
}
