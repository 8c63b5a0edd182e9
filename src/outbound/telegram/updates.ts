import { setTimeout as wait } from 'node:timers/promises'
import { isObject } from '../../core/is-object.ts'
import { Backoff } from './backoff.ts'
import type { BotApi } from './bot-api.ts'

/** A chat, as an update names it. */
export interface Chat {
  id: number
  /** Without `@`; null where it has none. */
  username: string | null
}

/** Somebody pressed a button. */
export interface Press {
  /** The id of the query, which waits for an answer. */
  id: string
  userId: number | null
  messageId: number
  data: string
}

/** What happened in a chat; `press` is null for anything but a button that was pressed. */
interface Update {
  chat: Chat
  press: Press | null
}

/** What polling needs. */
interface PollDeps {
  api: Pick<BotApi, 'call'>
  /** Never fails. */
  onUpdate: (update: Update) => Promise<void>
  /** Gets each thing that is wrong once. */
  onFailure: (message: string) => void
  onRecovered: () => void
  /** Ends it at once. */
  signal: AbortSignal
}

/** How long Telegram holds a request while nothing happens. */
const HOLD_S = 50
const LATE_MS = 15_000
const LIMIT = 20
/** A server that answers at once without anything new holds no request, and must not be asked all the time. */
const AT_ONCE_MS = 1_000

function chatOf(value: unknown): Chat | null {
  if (!isObject(value) || typeof value.id !== 'number') return null
  return { id: value.id, username: typeof value.username === 'string' ? value.username : null }
}

function pressOf(query: Record<string, unknown>, message: Record<string, unknown>): Press | null {
  const { id, from, data } = query
  if (typeof id !== 'string' || typeof data !== 'string' || typeof message.message_id !== 'number') return null
  const userId = isObject(from) && typeof from.id === 'number' ? from.id : null
  return { id, userId, messageId: message.message_id, data }
}

/** What an update says; null for one that names no chat. Anybody may send some to a bot. */
function readUpdate(update: Record<string, unknown>): Update | null {
  const { callback_query: query } = update
  if (isObject(query)) {
    const message = isObject(query.message) ? query.message : {}
    const chat = chatOf(message.chat)
    return chat === null ? null : { chat, press: pressOf(query, message) }
  }
  const chat = Object.values(update)
    .map(value => (isObject(value) ? chatOf(value.chat) : null))
    .find(found => found !== null)
  return chat === undefined ? null : { chat, press: null }
}

/**
 * Asks Telegram for updates until the signal fires; whatever is wrong, it tries again later. An update is over for
 * Telegram with the next request: one that a kill was faster than comes again.
 */
export async function pollUpdates({ api, onUpdate, onFailure, onRecovered, signal }: PollDeps): Promise<void> {
  const backoff = new Backoff()
  let offset = 0

  async function poll(): Promise<void> {
    const startedAt = performance.now()
    const updates = await api.call(
      'getUpdates',
      { offset, timeout: HOLD_S, limit: LIMIT, allowed_updates: ['callback_query'] },
      { signal, timeoutMs: HOLD_S * 1000 + LATE_MS },
    )
    if (backoff.succeeded()) onRecovered()
    const found = Array.isArray(updates) ? (updates as unknown[]) : []
    const askedFrom = offset
    for (const one of found) {
      if (!isObject(one) || !Number.isSafeInteger(one.update_id)) continue
      const update = readUpdate(one)
      if (update !== null) await onUpdate(update)
      offset = Number(one.update_id) + 1
    }
    const isAtOnce = performance.now() - startedAt < AT_ONCE_MS
    if (offset === askedFrom && isAtOnce) await wait(AT_ONCE_MS, undefined, { signal })
  }

  while (!signal.aborted) {
    try {
      await poll()
    } catch (error) {
      if (signal.aborted) return
      const { delayMs, message } = backoff.failed(error)
      if (message !== null) onFailure(message)
      await wait(delayMs, undefined, { signal }).catch(() => {}) // the loop sees that it fired
    }
  }
}
