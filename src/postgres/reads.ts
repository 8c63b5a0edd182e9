import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseAway } from '../core/database-away.ts'
import type { Queryable } from './database.ts'

/** How far a replica may be behind. The newest heartbeat tells how far it is: nodes write one every two seconds. */
const MAX_LAG_S = 10
const LOOK_MS = 2_000
const IS_NEAR = `SELECT coalesce(max(heartbeat_at) > now() - interval '${MAX_LAG_S} s', false) AS is_near FROM nodes`

/** A replica, which may vanish without a word. */
interface Replica extends Queryable {
  /** Cuts its connections: what waits for an answer of it fails. */
  cut(): void
}

/** Lists come from a replica while it is near; from the primary where it is behind, away, or fails otherwise. */
export function createReads(replica: Replica, primary: Queryable): Queryable {
  let isNear = false
  let lookedAt = -Infinity

  async function look(): Promise<boolean> {
    const { rows } = await replica.query(IS_NEAR)
    return rows[0]?.is_near === true
  }

  /** Nobody waits for it: what was found last holds meanwhile. */
  function lookAgain(): void {
    if (performance.now() - lookedAt < LOOK_MS) return
    lookedAt = performance.now()
    const late = delay(LOOK_MS, null, { ref: false })
    Promise.race([look().catch(() => null), late]).then(found => {
      isNear = found === true
      if (found === null) replica.cut()
    })
  }

  return {
    async query(text, values) {
      lookAgain()
      if (!isNear) return await primary.query(text, values)
      const looking = setInterval(lookAgain, LOOK_MS)
      try {
        return await replica.query(text, values)
      } catch (error) {
        if (isDatabaseAway(error)) isNear = false
        return await primary.query(text, values) // if the statement is the trouble the primary says so, too
      } finally {
        clearInterval(looking)
      }
    },
  }
}
