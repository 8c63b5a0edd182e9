import type { Config } from '../config.ts'
import { FaultlineError } from '../core/errors.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { StoredJob } from '../jobs/store/job-store.ts'
import type { Notification, NotificationStore } from '../jobs/store/notification-store.ts'
import { redactTexts } from '../llm/redaction/redact-values.ts'
import { BotApiError, createBotApi } from '../outbound/telegram/bot-api.ts'
import { doneMessage, readPressedData, waitingMessage } from '../outbound/telegram/messages.ts'
import { pollUpdates, type Chat, type Press } from '../outbound/telegram/updates.ts'
import type { Log } from './log.ts'

/** What the chat is connected with. */
interface TelegramDeps {
  config: Pick<Config, 'publicUrl'> & { telegram: NonNullable<Config['telegram']> }
  notifications: Pick<NotificationStore, 'find'>
  /** There as soon as jobs can be answered. */
  answering: Promise<Pick<Jobs, 'reply'>>
  log: Log
  /** Fires when the server stops. */
  closing: AbortSignal
}

/** The chat in which jobs tell of themselves. */
export interface TelegramChat {
  /**
   * Sends the news of a job.
   *
   * @returns The number of a message that has buttons, else null.
   * @throws {BotApiError} It was not sent.
   */
  send(notification: Notification, job: StoredJob, signal: AbortSignal): Promise<number | null>
  /** Takes the buttons off a message. @throws {BotApiError} */
  removeButtons(messageId: number, signal: AbortSignal): Promise<void>
  /**
   * Begins to take answers, once more after the signal of the time before fired: Telegram gives them to one process.
   *
   * @param onAnswered - Called after each that ended a wait.
   * @param signal - Fires when another process takes them.
   */
  start(onAnswered: () => void, signal: AbortSignal): void
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>
}

/** Telegram's limit is 200. */
const MAX_ANSWER_CHARS = 190
/** Chats that are remembered, so that each is logged once. */
const MAX_FOREIGN = 100

const NOT_OPEN = 'This question is not open any more.'
const DONE = { approve: 'Approved.', reject: 'Rejected.' } as const

/** Whether a chat is the configured one: a number, or `@name`. */
const isChat = (chatId: string, { id, username }: Chat): boolean =>
  chatId.startsWith('@') ? username?.toLowerCase() === chatId.slice(1).toLowerCase() : String(id) === chatId

/** The chat of the operator: what is pressed there answers jobs, as a reply over HTTP does. */
export function createTelegramChat(deps: TelegramDeps): TelegramChat {
  const { config, notifications, answering, log, closing } = deps
  const { publicUrl } = config
  const { chatId } = config.telegram
  const api = createBotApi(config.telegram)
  const foreign = new Set<number>()
  let polling: Promise<void> = Promise.resolve()

  /** @returns What the person is told, or null when the question is not open. */
  async function answer({ data, userId }: Press): Promise<string | null> {
    const pressed = readPressedData(data)
    if (pressed === null) return null
    const notification = await notifications.find(pressed.notificationId)
    const isMeant = notification !== null && notification.jobId === pressed.jobId && notification.isOpen
    if (!isMeant || notification.asked === null) return null
    const { decision, jobId } = pressed
    // no key has a name with a colon, so that nobody passes for the chat
    const actor = userId === null ? 'telegram' : `telegram:${userId}`
    try {
      await (await answering).reply(jobId, { decision }, actor, null, notification.asked)
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      if (error.code === 'NOT_WAITING' || error.code === 'JOB_NOT_FOUND') return null
      return error.message
    }
    return DONE[decision]
  }

  async function removeButtons(messageId: number, signal: AbortSignal): Promise<void> {
    const parameters = { chat_id: chatId, message_id: messageId, reply_markup: { inline_keyboard: [] } }
    await api.call('editMessageReplyMarkup', parameters, { signal })
  }

  /** Does what only makes the chat nicer. */
  async function bestEffort(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!closing.aborted && !(error instanceof BotApiError)) throw error
    }
  }

  async function onPress(press: Press): Promise<void> {
    let text: string | null
    try {
      text = await answer(press)
    } catch (error) {
      log.error({ err: error }, 'an answer from Telegram could not be stored')
      text = 'It could not be stored; try again later.'
    }
    const said = (text ?? NOT_OPEN).slice(0, MAX_ANSWER_CHARS)
    await bestEffort(() =>
      api.call('answerCallbackQuery', { callback_query_id: press.id, text: said }, { signal: closing }),
    )
    if (text === null) await bestEffort(() => removeButtons(press.messageId, closing))
  }

  function noteForeign({ id }: Chat): void {
    if (foreign.has(id) || foreign.size >= MAX_FOREIGN) return
    foreign.add(id)
    log.warn({ chat: id }, 'an update from another chat than TELEGRAM_CHAT_ID is ignored')
  }

  return {
    async send({ event, id }, job, signal) {
      const options = { publicUrl, withoutSecrets: redactTexts<string> }
      const { text, buttons } =
        event === 'waiting' && job.request !== null
          ? waitingMessage(job, job.request, { ...options, notificationId: id })
          : doneMessage(job, options)
      const markup = buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: [buttons] } }
      const parameters = { chat_id: chatId, text, link_preview_options: { is_disabled: true }, ...markup }
      const sent = (await api.call('sendMessage', parameters, { signal })) as { message_id?: unknown } | null
      return buttons.length > 0 && typeof sent?.message_id === 'number' ? sent.message_id : null
    },
    removeButtons,
    start(onAnswered, signal) {
      const poll = () =>
        pollUpdates({
          api,
          signal: AbortSignal.any([closing, signal]),
          onFailure: message =>
            log.warn({}, `answers from Telegram cannot be fetched, which is tried again: ${message}`),
          onRecovered: () => log.info({}, 'answers from Telegram are fetched again'),
          async onUpdate({ chat, press }) {
            if (!isChat(chatId, chat)) noteForeign(chat)
            else if (press !== null) await onPress(press).finally(onAnswered)
          },
        })
      polling = polling.then(poll)
    },
    async close() {
      await polling
      await api.close()
    },
  }
}
