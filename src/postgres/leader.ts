import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { DatabaseSettings } from '../core/database-url.ts'
import { createClient } from './pool.ts'

/** A seat that one node at a time holds: what is to be done once, and not once by each node, is done by its holder. */
export interface Leadership {
  readonly isHeld: boolean
  /** Gives the seat up. */
  close(): Promise<void>
}

/** What a node does when it gets the seat, and how it learns that it lost it. */
interface LeadershipOptions {
  /** What the database shows of the connection. */
  name: string
  /** Names the seat: a number of this program's own. */
  seat: number
  /** Called each time that the seat is won; the signal fires when it is lost, or given up. */
  onWon: (signal: AbortSignal) => void
  /** Hears of connections that broke. */
  onError: (error: unknown) => void
}

const ASK_MS = 2_000
/** How long the database keeps the seat of a node that stands still: with the next node asking, below ten seconds. */
const IDLE_SESSION_MS = 6_000
const END_MS = 1_000
const CLASS = 704_511

/**
 * Asks for a seat until it is won: an advisory lock of a connection of its own, which the database gives up when the
 * connection ends, or says nothing for some seconds. A node that stood still meanwhile may act for a moment beside its
 * successor: what leaders do has to bear that.
 */
export function openLeadership(
  settings: DatabaseSettings,
  { name, seat, onWon, onError }: LeadershipOptions,
): Leadership {
  const closing = new AbortController()
  let held: AbortController | null = null

  const pause = () => delay(ASK_MS, undefined, { signal: closing.signal }).catch(() => {})

  async function holdOnce(client: pg.Client, broken: Promise<never>): Promise<void> {
    await client.connect()
    await client.query(`SET idle_session_timeout = ${IDLE_SESSION_MS}`)
    while (!closing.signal.aborted) {
      // an answer also says that the connection is there; a seat that is held is not taken a second time
      const ask = held === null ? 'SELECT pg_try_advisory_lock($1, $2) AS won' : 'SELECT $1::int, $2::int'
      const asked = client.query<{ won?: boolean }>(ask, [CLASS, seat])
      const [row] = (await Promise.race([asked, broken])).rows
      if (row?.won === true) {
        held = new AbortController()
        onWon(held.signal)
      }
      await Promise.race([pause(), broken])
    }
  }

  async function keepAsking(): Promise<void> {
    while (!closing.signal.aborted) {
      const client = createClient(settings, { name, query_timeout: IDLE_SESSION_MS })
      const { promise: broken, reject } = Promise.withResolvers<never>()
      broken.catch(() => {}) // looked at where it matters
      client.on('error', reject)
      client.on('end', () => reject(new Error('the connection ended')))
      await holdOnce(client, broken).catch((error: unknown) => {
        if (!closing.signal.aborted) onError(error)
      })
      held?.abort()
      held = null
      const ended = client.end().catch(() => {}) // it is broken already
      await Promise.race([ended, delay(END_MS, undefined, { ref: false })])
      await pause()
    }
  }

  const asking = keepAsking()
  return {
    get isHeld() {
      return held !== null
    },
    async close() {
      closing.abort()
      await asking
    },
  }
}
