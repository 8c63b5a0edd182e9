import type { NotifyEvent } from '../../contract/primitives.ts'
import type { Notification, NotificationChannel } from './notification-store.ts'
import type { Row } from './rows.ts'

/** Notifications that are told at once. */
export const MAX_NOTIFICATIONS = 200

/** The notification that a row holds. */
export const toNotification = (row: Row): Notification => ({
  id: Number(row.id),
  jobId: String(row.job_id),
  event: row.event as NotifyEvent,
  channel: row.channel as NotificationChannel,
  asked: row.asked as string | null,
  at: String(row.at),
  isOpen: row.is_open === 1 || row.is_open === true,
  messageId: row.message_id as number | null,
})
