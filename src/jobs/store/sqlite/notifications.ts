import type { DatabaseSync } from 'node:sqlite'
import type { NotifyEvent } from '../../../contract/primitives.ts'
import { MAX_NOTIFICATIONS, toNotification } from '../notification-rows.ts'
import type { Notification, NotificationChannel, NotificationStore } from '../notification-store.ts'
import { CHANNELS } from '../status-changes.ts'
import type { Transactions } from './transactions.ts'

/** A job waits with one question at a time: the one that was told last. */
const IS_OPEN = `(event = 'waiting' AND status = 'waiting' AND NOT EXISTS (
  SELECT 1 FROM notifications AS later
  WHERE later.job_seq = notifications.job_seq AND later.event = 'waiting' AND later.id > notifications.id
    AND later.channel = notifications.channel))`

const SELECT = `SELECT notifications.id, jobs.id AS job_id, event, channel, notifications.asked, at, message_id,
  ${IS_OPEN} AS is_open FROM notifications JOIN jobs ON seq = job_seq`

const prepare = (db: DatabaseSync) => ({
  add: db.prepare(
    `INSERT INTO notifications (job_seq, event, channel, asked, at, is_pending) VALUES (?, ?, ?, ?, ?, 1)`,
  ),
  pending: db.prepare(
    `${SELECT} WHERE is_pending = 1 AND channel = ? ORDER BY notifications.id LIMIT ${MAX_NOTIFICATIONS}`,
  ),
  outdated: db.prepare(
    `${SELECT} WHERE message_id IS NOT NULL AND NOT ${IS_OPEN} ORDER BY notifications.id LIMIT ${MAX_NOTIFICATIONS}`,
  ),
  find: db.prepare(`${SELECT} WHERE notifications.id = ?`),
  sent: db.prepare('UPDATE notifications SET is_pending = 0, message_id = ? WHERE id = ?'),
})

/** What is to be told of jobs, in one table. */
export class SqliteNotifications implements NotificationStore {
  readonly #writes: Transactions
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: DatabaseSync, writes: Transactions) {
    this.#writes = writes
    this.#statements = prepare(db)
  }

  /** Adds what is to be told of an event, within a transaction of the caller. */
  addNow(seq: number, { event, asked, at }: { event: NotifyEvent; asked: string | null; at: string }): void {
    for (const channel of CHANNELS[event]) this.#statements.add.run(seq, event, channel, asked, at)
  }

  async pending(channel: NotificationChannel): Promise<Notification[]> {
    return this.#statements.pending.all(channel).map(toNotification)
  }

  async outdated(): Promise<Notification[]> {
    return this.#statements.outdated.all().map(toNotification)
  }

  async find(id: number): Promise<Notification | null> {
    const row = this.#statements.find.get(id)
    return row === undefined ? null : toNotification(row)
  }

  async sent(id: number, messageId: number | null): Promise<void> {
    this.#writes.vital(() => this.#statements.sent.run(messageId, id))
  }
}
