import type { Config } from '../config.ts'
import type { Log } from './log.ts'
import type { SharedDatabase } from './nodes.ts'

/** Who does what is to be done once, and not once by each node. */
interface Leading {
  /** Whether this process does it now. */
  leads(): boolean
  /**
   * Begins to ask for that.
   *
   * @param onLead - Called each time that it is this one's turn, at once for a process that works alone. The signal
   * fires when it is another's, or this one stops.
   */
  start(onLead: (signal: AbortSignal) => void): Promise<void>
  close(): Promise<void>
}

/** The seat of the one that does it. */
const SEAT = 1

/** A process that works alone does everything itself. */
function leadAlone(): Leading {
  const closing = new AbortController()
  return {
    leads: () => !closing.signal.aborted,
    start: async onLead => onLead(closing.signal),
    close: async () => closing.abort(),
  }
}

/** The seat among the nodes of a database; alone without one. */
export function createLeading(
  { database }: Pick<Config, 'database'>,
  { shared, log }: { shared: SharedDatabase | null; log: Log },
): Leading {
  if (shared === null || database === null) return leadAlone()
  let held: { readonly isHeld: boolean; close(): Promise<void> } | null = null
  return {
    leads: () => held?.isHeld ?? false,
    async start(onLead) {
      const { openLeadership } = await import('../postgres/leader.ts')
      held = openLeadership(database, {
        name: 'faultline leads',
        seat: SEAT,
        onWon(signal) {
          log.info({}, 'this node does what is to be done once')
          onLead(signal)
        },
        onError: error => log.warn({ err: error }, 'the seat of the node that does what is to be done once was lost'),
      })
    },
    async close() {
      await held?.close()
    },
  }
}
