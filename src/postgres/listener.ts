import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { DatabaseSettings } from '../core/database-url.ts'
import type { Database } from './database.ts'
import { createClient, leaveServer } from './pool.ts'

/** Hears what other nodes notify; payloads are short texts, such as the ids of jobs. */
export interface Listener {
  /**
   * Hears of what is notified under a name. `items` is null when some may have been missed: whoever listens looks at
   * everything then.
   *
   * @returns A function that ends it.
   */
  on(channel: string, hears: (items: readonly string[] | null) => void): () => void
  /**
   * Tells all nodes, this one too, a moment later and together with what follows; while the database is away, when it
   * is back. Never fails: a poll is behind it.
   */
  notify(channel: string, item: string): void
  close(): Promise<void>
}

/** Names of channels become a part of a statement. */
const CHANNEL = /^[a-z_]{1,60}$/
/** PostgreSQL takes payloads of less than 8,000 bytes. */
const MAX_PAYLOAD_CHARS = 7_000
/** Goes out whether or not its commit has reached the disk. */
const NOTIFY = "SELECT pg_notify($1, $2), set_config('synchronous_commit', 'off', true)"
/** NOTIFY takes a lock of the whole database while it commits: what comes together is sent together. */
const TOGETHER_MS = 5
const RECONNECT_MS = 500
/** What waits for the database to be back, of one channel; a poll finds what is more. */
const MAX_HELD = 10_000
/** A connection that was cut off without a word does not end when it is asked to. */
const END_MS = 1_000
/** How often the connection is tried out: one that was cut off without a word says nothing. */
const PROBE_MS = 5_000

/** Splits items into payloads, one item a line. */
function payloadsOf(items: Iterable<string>): string[] {
  const payloads: string[] = []
  let payload = ''
  for (const item of items) {
    if (payload !== '' && payload.length + item.length + 1 > MAX_PAYLOAD_CHARS) {
      payloads.push(payload)
      payload = ''
    }
    payload += payload === '' ? item : `\n${item}`
  }
  return payload === '' ? payloads : [...payloads, payload]
}

/**
 * Keeps one connection that listens, and makes it again when it breaks.
 *
 * @param onError - Hears of each time that it breaks, and of what could not be notified.
 */
export function openListener(
  db: Database,
  settings: DatabaseSettings,
  { name, onError }: { name: string; onError: (error: unknown) => void },
): Listener {
  const closing = new AbortController()
  const hearers = new Map<string, Set<(items: readonly string[] | null) => void>>()
  const held = new Map<string, Set<string>>()
  let timer: NodeJS.Timeout | undefined
  let client: pg.Client | null = null
  let sending: Promise<unknown> = Promise.resolve()
  let hasFailed = false
  /** When the server began that answered last, and when the connection was tried out last. */
  let startedAt: string | null = null
  let probedAt = performance.now()

  /** The driver takes one statement at a time. */
  let asking: Promise<unknown> = Promise.resolve()
  const ask = (of: pg.Client, text: string): Promise<pg.QueryResult<Record<string, unknown>>> => {
    const asked = asking.then(() => of.query<Record<string, unknown>>(text))
    asking = asked.catch(() => {}) // whoever asked sees why
    return asked
  }

  const tell = (channel: string, items: readonly string[] | null) => {
    for (const hears of hearers.get(channel) ?? []) hears(items)
  }

  /**
   * Another server may answer now, where an address moved to the one that took over: what was connected to the one
   * before may wait until its time limit, if that vanished without a word.
   */
  async function lookAtServer(of: pg.Client): Promise<void> {
    const { rows } = await ask(of, 'SELECT pg_postmaster_start_time()::text AS started_at')
    const now = String(rows[0]?.started_at)
    if (startedAt !== null && startedAt !== now) leaveServer(settings, probedAt)
    startedAt = now
  }

  /** Resolves when the connection has ended. */
  async function listenOnce(): Promise<void> {
    asking = Promise.resolve() // what was asked of the one before is over
    const own = createClient(settings, { name: `${name} listens`, query_timeout: PROBE_MS })
    const ended = Promise.withResolvers<undefined>()
    own.on('error', ended.reject)
    own.on('end', () => ended.resolve(undefined))
    own.on('notification', ({ channel, payload = '' }) => tell(channel, payload.split('\n')))
    ended.promise.catch(() => {}) // also looked at below, unless connecting fails first
    const end = () => ended.resolve(undefined)
    const cut = (error: Error) => own.connection.stream.destroy(error)
    closing.signal.addEventListener('abort', end, { once: true })
    let probe: NodeJS.Timeout | undefined
    try {
      await own.connect()
      await lookAtServer(own)
      client = own
      for (const channel of hearers.keys()) await ask(own, `LISTEN ${channel}`)
      for (const channel of hearers.keys()) tell(channel, null)
      // cut, so that the choice among several servers hears of it, too
      probe = setInterval(() => {
        probedAt = performance.now()
        ask(own, 'SELECT 1').catch(cut)
      }, PROBE_MS)
      await ended.promise
    } finally {
      client = null
      clearInterval(probe)
      closing.signal.removeEventListener('abort', end)
      const gone = own.end().catch(() => {}) // it is broken already
      await Promise.race([gone, delay(END_MS, undefined, { ref: false })])
    }
  }

  async function keepListening(): Promise<void> {
    while (!closing.signal.aborted) {
      await listenOnce().catch((error: unknown) => {
        if (!closing.signal.aborted) onError(error)
      })
      await delay(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  function hold(channel: string, added: Iterable<string>): void {
    const items = held.get(channel) ?? new Set()
    for (const item of added) if (items.size < MAX_HELD) items.add(item)
    held.set(channel, items)
  }

  /** @returns Whether all was sent. */
  async function send(): Promise<boolean> {
    const batches = [...held]
    held.clear()
    while (batches[0] !== undefined) {
      const [[channel, items]] = batches as [(typeof batches)[number]]
      try {
        for (const payload of payloadsOf(items)) await db.query(NOTIFY, [channel, payload])
        hasFailed = false
        batches.shift()
      } catch (error) {
        // once more a moment later: who is connected already would hear of it from the poll only
        for (const batch of batches) hold(...batch)
        if (!hasFailed) onError(error)
        hasFailed = true
        return false
      }
    }
    return true
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    sending = sending.then(send).then(isSent => {
      if (!isSent && !closing.signal.aborted) timer ??= setTimeout(flush, RECONNECT_MS)
    })
  }

  const listening = keepListening()
  return {
    on(channel, hears) {
      if (!CHANNEL.test(channel)) throw new Error(`${channel} is no channel`)
      const all = hearers.get(channel) ?? new Set()
      all.add(hears)
      hearers.set(channel, all)
      if (all.size === 1 && client !== null) ask(client, `LISTEN ${channel}`).then(() => tell(channel, null), onError)
      return () => {
        all.delete(hears)
      }
    },
    notify(channel, item) {
      if (closing.signal.aborted) return
      hold(channel, [item])
      timer ??= setTimeout(flush, TOGETHER_MS)
    },
    async close() {
      flush()
      await sending
      closing.abort()
      clearTimeout(timer)
      await listening
    },
  }
}
