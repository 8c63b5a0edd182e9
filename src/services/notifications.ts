import type { Config } from '../config.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { JobStore } from '../jobs/store/job-store.ts'
import type { Callbacks } from '../outbound/callbacks.ts'
import { createCallbackNotices } from './callback-notices.ts'
import { createChatNotices } from './chat-notices.ts'
import type { Lane } from './lane.ts'
import type { Log } from './log.ts'
import { createTelegramChat, type TelegramChat } from './telegram.ts'

/** What notifications are sent with. */
interface NotificationDeps {
  jobs: Pick<JobStore, 'find' | 'input' | 'notifications'>
  /** What buttons answer; there as soon as jobs can be answered. */
  answering: Promise<Pick<Jobs, 'reply'>>
  deliver: Callbacks['deliver']
  log: Log
  /** Whether this process sends, of several. */
  leads: () => boolean
  /** Fires when the server stops; what is not sent by then is sent after the next start. */
  closing: AbortSignal
}

/** Tells those who asked for it that jobs wait or have ended. */
interface Notifications {
  /** To be told when a job begins or ceases to wait, or ends. Goes on in the background. */
  changed(): void
  /**
   * Sends what a killed server left, and begins to take answers.
   *
   * @param signal - Fires when another process does so.
   */
  start(signal: AbortSignal): void
  close(): Promise<void>
}

/** A message may be finished when the server stops: a chat cannot tell its repetition from another one. */
const CLOSE_GRACE_MS = 2_000
const AGAIN_MS = 5_000

/** Sends the notifications that are stored with the jobs. */
export function createNotifications(
  config: Pick<Config, 'telegram' | 'publicUrl'>,
  { jobs, answering, deliver, leads, log, closing }: NotificationDeps,
): Notifications {
  const { telegram, publicUrl } = config
  const sending = new AbortController()
  closing.addEventListener('abort', () => {
    setTimeout(() => sending.abort(), CLOSE_GRACE_MS).unref()
  })
  const common = {
    jobs,
    log,
    closing,
    cutOff: sending.signal,
    onError(error: unknown, lane: Lane) {
      if (closing.aborted) return
      log.error({ err: error }, 'notifications could not be sent, which is tried again')
      lane.runLater(AGAIN_MS)
    },
  }
  let chat: TelegramChat | null = null
  if (telegram !== null) {
    const { notifications } = jobs
    chat = createTelegramChat({ config: { telegram, publicUrl }, notifications, answering, log, closing })
  }
  const lanes = [createCallbackNotices({ ...common, deliver }), createChatNotices({ ...common, chat })]
  let isStarted = false

  const notifications: Notifications = {
    changed() {
      if (isStarted && leads()) for (const lane of lanes) lane.run()
    },
    start(signal) {
      isStarted = true
      notifications.changed()
      chat?.start(notifications.changed, signal)
    },
    async close() {
      await Promise.all(lanes.map(lane => lane.idle()))
      await chat?.close()
    },
  }
  return notifications
}
