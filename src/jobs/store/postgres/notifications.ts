import type { Database } from '../../../postgres/database.ts'
import { MAX_NOTIFICATIONS, toNotification } from '../notification-rows.ts'
import type { Notification, NotificationChannel, NotificationStore } from '../notification-store.ts'

/** A job waits with one question at a time: the one that was told last. */
const IS_OPEN = `(event = 'waiting' AND status = 'waiting' AND NOT EXISTS (
  SELECT 1 FROM notifications AS later
  WHERE later.job_seq = notifications.job_seq AND later.event = 'waiting' AND later.id > notifications.id
    AND later.channel = notifications.channel))`

const SELECT = `SELECT notifications.id, jobs.id AS job_id, event, channel, notifications.asked, at, message_id,
  ${IS_OPEN} AS is_open FROM notifications JOIN jobs ON seq = job_seq`

/** What is to be told of jobs, in one table. */
export class PostgresNotifications implements NotificationStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async pending(channel: NotificationChannel): Promise<Notification[]> {
    const { rows } = await this.#db.query(
      `${SELECT} WHERE is_pending AND channel = $1 ORDER BY notifications.id LIMIT ${MAX_NOTIFICATIONS}`,
      [channel],
    )
    return rows.map(toNotification)
  }

  async outdated(): Promise<Notification[]> {
    const { rows } = await this.#db.query(
      `${SELECT} WHERE message_id IS NOT NULL AND NOT ${IS_OPEN} ORDER BY notifications.id LIMIT ${MAX_NOTIFICATIONS}`,
    )
    return rows.map(toNotification)
  }

  async find(id: number): Promise<Notification | null> {
    const { rows } = await this.#db.query(`${SELECT} WHERE notifications.id = $1`, [id])
    return rows[0] === undefined ? null : toNotification(rows[0])
  }

  async sent(id: number, messageId: number | null): Promise<void> {
    await this.#db.query('UPDATE notifications SET is_pending = false, message_id = $1 WHERE id = $2', [messageId, id])
  }
}
