import type { Agent } from 'undici'
import { isObject } from '../../core/is-object.ts'
import { showLine } from '../../core/visible-text.ts'
import { reasonOf } from '../pinned.ts'

/** Where a bot is reached, and what it shows. */
interface BotApiOptions {
  /** Stands in every URL: no error and no line of a log may hold one. */
  token: string
  /** Without a slash at its end. */
  baseUrl: string
}

/** One call of a method. */
interface BotCall {
  signal: AbortSignal
  /** How long it may take. */
  timeoutMs?: number
}

/** The Bot API of Telegram. */
export interface BotApi {
  /**
   * Calls a method and returns its `result`.
   *
   * @throws {BotApiError} It was refused, or there was no answer.
   * @throws The signal's reason, when it fired.
   */
  call(method: string, parameters: object, options: BotCall): Promise<unknown>
  close(): Promise<void>
}

const TIMEOUT_MS = 15_000
/** Twenty updates, each with the message that it is about, are far less. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const MAX_REASON_CHARS = 200

/** What Telegram says of the chat has the same status as what it says of a message. */
const OF_THE_CHAT = /\bchat\b|\brights\b/

/** Why a call gave no result. */
export class BotApiError extends Error {
  /** As Telegram says it; null where there was no answer of the API. */
  readonly status: number | null
  /** How long Telegram wants to be left alone. */
  readonly retryAfterMs: number | null

  constructor(message: string, status: number | null, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'BotApiError'
    this.status = status
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the same call would be refused again: not for what the operator or Telegram mends, as the chat. */
  get isFinal(): boolean {
    return this.status === 413 || (this.status === 400 && !OF_THE_CHAT.test(this.message))
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The result in an answer. @throws {BotApiError} */
function resultIn(method: string, statusCode: number, text: string): unknown {
  const answer = parsed(text)
  if (isObject(answer) && answer.ok === true) return answer.result
  const { error_code: code, description, parameters } = isObject(answer) ? answer : {}
  const status = typeof code === 'number' ? code : statusCode
  const { retry_after: seconds, migrate_to_chat_id: newChat } = isObject(parameters) ? parameters : {}
  const said = typeof description === 'string' ? showLine(description.slice(0, MAX_REASON_CHARS)) : 'no JSON'
  const why = typeof newChat === 'number' ? `${said}: the chat is ${newChat} now` : said
  const isPause = typeof seconds === 'number' && seconds >= 0
  throw new BotApiError(`${method} was answered with ${status} (${why})`, status, isPause ? seconds * 1000 : null)
}

/** A client of the Bot API; the operator says where it is, so that its address is not checked. */
export function createBotApi({ token, baseUrl }: BotApiOptions): BotApi {
  let agent: Promise<Agent> | undefined
  const withoutToken = (text: string): string => text.replaceAll(token, '…')

  async function dispatcher(): Promise<Agent> {
    const { Agent } = await import('undici') // most servers have no bot
    return new Agent({ connections: 4, headersTimeout: 0, bodyTimeout: 0 })
  }

  async function send(method: string, parameters: object, signal: AbortSignal): Promise<unknown> {
    const { request } = await import('undici')
    agent ??= dispatcher()
    const { statusCode, body } = await request(`${baseUrl}/bot${token}/${method}`, {
      dispatcher: await agent,
      signal,
      method: 'POST',
      body: JSON.stringify(parameters),
      headers: { 'content-type': 'application/json', 'user-agent': 'faultline' },
    })
    // before a reason is cut, after which a part of the token would not be found
    return resultIn(method, statusCode, withoutToken(await textOf(body)))
  }

  return {
    async call(method, parameters, { signal, timeoutMs = TIMEOUT_MS }) {
      const limit = AbortSignal.timeout(timeoutMs)
      try {
        return await send(method, parameters, AbortSignal.any([signal, limit]))
      } catch (error) {
        signal.throwIfAborted()
        // without the error that it comes from, whose text is not ours
        if (limit.aborted) throw new BotApiError(`${method} was not answered within ${timeoutMs / 1000} s`, null)
        if (error instanceof BotApiError) throw error
        throw new BotApiError(`${method}: ${withoutToken(reasonOf(error))}`, null)
      }
    },
    async close() {
      await (await agent)?.destroy()
    },
  }
}
