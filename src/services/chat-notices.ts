import type { JobStore } from '../jobs/store/job-store.ts'
import type { Notification } from '../jobs/store/notification-store.ts'
import { Backoff } from '../outbound/telegram/backoff.ts'
import { BotApiError } from '../outbound/telegram/bot-api.ts'
import { createLane, type Lane } from './lane.ts'
import type { Log } from './log.ts'
import { createOutbox } from './outbox.ts'
import type { TelegramChat } from './telegram.ts'

/** What telling a chat needs. */
interface ChatNoticesDeps {
  jobs: Pick<JobStore, 'find' | 'notifications'>
  /** Null where there is none: then nobody hears of what is stored for it. */
  chat: TelegramChat | null
  log: Log
  closing: AbortSignal
  /** Cuts off what is being sent. */
  cutOff: AbortSignal
  onError: (error: unknown, lane: Lane) => void
}

/** Tells the chat that jobs wait and how they ended, one message after the other. */
export function createChatNotices({ jobs, chat, log, closing, cutOff, onError }: ChatNoticesDeps): Lane {
  const { notifications: store } = jobs
  const outbox = createOutbox(jobs, 'telegram')
  const backoff = new Backoff()
  /** By a clock that nobody sets. */
  let pausedUntil = -Infinity

  function noteSuccess(): void {
    if (backoff.succeeded()) log.info({}, 'messages to Telegram are sent again')
  }

  /** @throws {BotApiError} It may be sent later. */
  async function tell(to: TelegramChat, notification: Notification): Promise<void> {
    try {
      const job = await outbox.jobOf(notification)
      const messageId = job === null ? null : await to.send(notification, job, cutOff)
      if (job !== null) noteSuccess()
      await outbox.mark(notification, messageId)
    } catch (error) {
      if (!(error instanceof BotApiError) || !error.isFinal) throw error
      log.warn({ job: notification.jobId }, `a message is left out: ${error.message}`)
      await outbox.mark(notification, null)
    }
  }

  /** @throws {BotApiError} They may be removed later. */
  async function removeButtons(from: TelegramChat, notification: Notification): Promise<void> {
    try {
      if (notification.messageId !== null) await from.removeButtons(notification.messageId, cutOff)
      noteSuccess()
    } catch (error) {
      if (!(error instanceof BotApiError) || error.status !== 400) throw error // else they or their message are gone
    }
    await outbox.mark(notification, null)
  }

  /** Does something with all that is read in parts; each is read no more once it is done. */
  async function doAll(read: () => Promise<Notification[]>, work: (row: Notification) => Promise<void>): Promise<void> {
    for (let rows = await read(); rows.length > 0; rows = await read()) {
      for (const row of rows) {
        if (closing.aborted) return
        await work(row)
      }
    }
  }

  async function update(to: TelegramChat): Promise<void> {
    await doAll(
      () => outbox.pending(),
      row => tell(to, row),
    )
    await doAll(
      () => store.outdated(),
      row => removeButtons(to, row),
    )
  }

  return createLane(
    async lane => {
      if (chat === null) {
        await doAll(
          () => outbox.pending(),
          row => outbox.mark(row, null),
        )
        return
      }
      if (performance.now() < pausedUntil) return
      try {
        await update(chat)
      } catch (error) {
        if (!(error instanceof BotApiError)) throw error
        const { delayMs, message } = backoff.failed(error)
        if (message !== null) log.warn({}, `a message to Telegram was not sent, which is tried again: ${message}`)
        pausedUntil = performance.now() + delayMs
        lane.runLater(delayMs + 1) // timers may be early
      }
    },
    { onError, closing },
  )
}
