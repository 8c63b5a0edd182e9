import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { eventually } from '../helpers/processes.ts'

export const BOT_TOKEN = '123456:AA-secret-of-the-bot-in-tests_0123456789'
export const CHAT_ID = -100123

interface Call {
  method: string
  parameters: Record<string, unknown>
}

interface SentMessage {
  messageId: number
  text: string
  buttons: Array<{ text: string; callback_data: string }>
}

/** What a method answers instead of what it should: a status with a description and more. */
interface Refusal {
  status: number
  description?: string
  parameters?: object
}

export interface FakeTelegram {
  url: string
  calls: Call[]
  /** Messages as the chat shows them now. */
  messages: SentMessage[]
  /** What people were told when they pressed a button. */
  answers: string[]
  /** Requests for another bot, or that the API would not understand. */
  violations: string[]
  /** Answers the next calls of a method otherwise. */
  refuse(method: string, ...refusals: Refusal[]): void
  /** Leaves the next calls of a method without an answer until what it returns is called. */
  hold(method: string): () => void
  /** Somebody presses a button; by default in the right chat. */
  press(data: string, where?: { chatId?: number; messageId?: number; userId?: number }): void
  /** Any update. */
  push(update: object): void
  /** The n-th message (1-based) once it is there. */
  message(n: number): Promise<SentMessage>
  /** The environment of a server that has the bot. */
  env: Record<string, string>
}

const asJson = (res: ServerResponse, status: number, body: object): void => {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The Bot API on loopback, for one bot and one chat; `getUpdates` is held until there is something. */
export async function startTelegram(t: Test): Promise<FakeTelegram> {
  const calls: Call[] = []
  const messages: SentMessage[] = []
  const answers: string[] = []
  const violations: string[] = []
  const refusals = new Map<string, Refusal[]>()
  const holds = new Map<string, Promise<void>>()
  let updates: Array<{ update_id: number }> = []
  let held: { res: ServerResponse } | null = null
  let lastUpdate = 1000
  let lastMessage = 0

  function giveUpdates(): void {
    if (held === null || updates.length === 0) return
    asJson(held.res, 200, { ok: true, result: updates })
    held = null
  }

  const methods: Record<string, (parameters: Record<string, unknown>, res: ServerResponse) => void> = {
    getUpdates({ offset }, res) {
      updates = updates.filter(({ update_id: id }) => id >= Number(offset))
      if (held !== null) {
        asJson(held.res, 409, { ok: false, error_code: 409, description: 'Conflict: terminated by other getUpdates' })
      }
      held = { res }
      giveUpdates()
    },
    sendMessage({ chat_id: chatId, text: said, reply_markup: markup }, res) {
      const { inline_keyboard: rows = [] } = (markup ?? {}) as { inline_keyboard?: Array<SentMessage['buttons']> }
      const [buttons = []] = rows
      if (String(chatId) !== String(CHAT_ID)) violations.push(`chat ${String(chatId)}`)
      if (typeof said !== 'string' || said === '' || said.length > 4096) violations.push('a text of a wrong length')
      if (buttons.some(button => Buffer.byteLength(button.callback_data) > 64)) violations.push('long callback_data')
      const message = { messageId: ++lastMessage, text: String(said), buttons }
      messages.push(message)
      asJson(res, 200, { ok: true, result: { message_id: message.messageId } })
    },
    answerCallbackQuery({ text: said }, res) {
      if (String(said).length > 200) violations.push('a long answer')
      answers.push(String(said))
      asJson(res, 200, { ok: true, result: true })
    },
    editMessageReplyMarkup({ message_id: id }, res) {
      const message = messages.find(({ messageId }) => messageId === id)
      if (message === undefined || message.buttons.length === 0) {
        asJson(res, 400, { ok: false, error_code: 400, description: 'Bad Request: message is not modified' })
        return
      }
      message.buttons = []
      asJson(res, 200, { ok: true, result: {} })
    },
  }

  const server = createServer(async (req, res) => {
    const body = await text(req)
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(String(req.url)) ?? []
    const run = methods[method]
    if (token !== BOT_TOKEN || run === undefined) {
      violations.push(`${req.method} ${req.url}`)
      asJson(res, 401, { ok: false, error_code: 401, description: `Unauthorized ${String(token)}` })
      return
    }
    const parameters = JSON.parse(body) as Record<string, unknown>
    calls.push({ method, parameters })
    await holds.get(method)
    const refusal = refusals.get(method)?.shift()
    if (refusal === undefined) {
      run(parameters, res)
      return
    }
    const { status, description = 'refused', parameters: more } = refusal
    asJson(res, status, {
      ok: false,
      error_code: status,
      description,
      ...(more === undefined ? {} : { parameters: more }),
    })
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })

  function push(update: object): void {
    updates.push({ update_id: ++lastUpdate, ...update })
    giveUpdates()
  }

  return {
    url,
    calls,
    messages,
    answers,
    violations,
    refuse(method, ...more) {
      refusals.set(method, [...(refusals.get(method) ?? []), ...more])
    },
    hold(method) {
      const { promise, resolve } = Promise.withResolvers<void>()
      holds.set(method, promise)
      return resolve
    },
    press(data, { chatId = CHAT_ID, messageId = lastMessage, userId = 4711 } = {}) {
      push({
        callback_query: {
          id: `query-${lastUpdate}`,
          from: { id: userId, is_bot: false, first_name: 'Ada' },
          message: { message_id: messageId, date: 1, chat: { id: chatId, type: 'group' } },
          data,
        },
      })
    },
    push,
    async message(n) {
      await eventually(() => messages.length >= n)
      const message = messages[n - 1]
      if (message === undefined) throw new Error(`there are ${messages.length} messages`)
      return message
    },
    env: { TELEGRAM_BOT_TOKEN: BOT_TOKEN, TELEGRAM_CHAT_ID: String(CHAT_ID), TELEGRAM_BASE_URL: url },
  }
}
