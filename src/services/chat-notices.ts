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
  let pausedUntil = 0

  /** @throws {BotApiError} It may be sent later. */
  async function tell(to: TelegramChat, notification: Notification): Promise<void> {
    try {
      const job = await outbox.jobOf(notification)
      await outbox.mark(notification, job === null ? null : await to.send(notification, job, cutOff))
    } catch (error) {
      if (!(error instanceof BotApiError) || !error.isFinal) throw error
      log.warn({ job: notification.jobId }, `a message is left out: ${error.message}`)
      await outbox.mark(notification, null)
    }
    if (backoff.succeeded()) log.info({}, 'messages to Telegram are sent again')
  }

  /** Whoever presses a button that is left hears that it was answered, and it is tried again. */
  async function removeButtons(from: TelegramChat, notification: Notification): Promise<void> {
    try {
      if (notification.messageId !== null) await from.removeButtons(notification.messageId, cutOff)
    } catch (error) {
      if (!(error instanceof BotApiError)) throw error
    }
    await outbox.mark(notification, null)
  }

  async function update(to: TelegramChat): Promise<void> {
    for (const row of await outbox.pending()) {
      if (closing.aborted) return
      await tell(to, row)
    }
    for (const row of await store.outdated()) {
      if (closing.aborted) return
      await removeButtons(to, row)
    }
  }

  return createLane(
    async lane => {
      if (chat === null) for (const row of await outbox.pending()) await outbox.mark(row, null)
      if (chat === null || Date.now() < pausedUntil) return
      try {
        await update(chat)
      } catch (error) {
        if (!(error instanceof BotApiError)) throw error
        const { delayMs, news } = backoff.failed(error)
        if (news !== null) log.warn({}, `a message to Telegram was not sent, which is tried again: ${news}`)
        pausedUntil = Date.now() + delayMs
        lane.runLater(delayMs + 1) // timers may be early
      }
    },
    { onError, closing },
  )
}
