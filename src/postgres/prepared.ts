import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { QueryConfig } from 'pg'

/** Sent so often a statement is prepared: most of those that are put together for one call never come again. */
const OFTEN = 3
/** A plan takes some tens of kilobytes of each connection, in the server. */
const MAX_PREPARED = 128
/** So many are counted; a process sends far fewer different ones again and again. */
const MAX_COUNTED = 2_000
const NAME_CHARS = 24

/** The code of an error that says, too, that a migration gave other columns to what was prepared. */
export const OUTDATED = '0A000'

/** The statements of a process that are sent again and again, by their names. */
export interface Statements {
  /** The statement as it is to be sent. */
  of(text: string): QueryConfig
  /** Has a statement prepared no more. */
  forget(text: string): void
}

/**
 * Has PostgreSQL keep the plans of statements that come often, for each connection: planning one of a job takes longer
 * than carrying it out.
 */
export function createStatements(): Statements {
  const counts = new Map<string, number>()
  const names = new Map<string, string>()

  return {
    of(text) {
      const name = names.get(text)
      if (name !== undefined) return { name, text }
      const count = (counts.get(text) ?? 0) + 1
      if (counts.size >= MAX_COUNTED) counts.clear()
      counts.set(text, count)
      if (count >= OFTEN && names.size < MAX_PREPARED) {
        names.set(text, createHash('sha256').update(text).digest('base64url').slice(0, NAME_CHARS))
      }
      return { text }
    },
    forget(text) {
      names.delete(text)
      counts.set(text, -Infinity)
    },
  }
}

/** Connections that prepare what comes often, for a pool that is not ours; its statements name their columns. */
export function preparingClients(Client: typeof pg.Client): typeof pg.Client {
  const statements = createStatements()
  return class extends Client {
    /** As that of the driver, in all its forms. */
    override query(...sent: unknown[]): never {
      const [text, values, ...more] = sent
      const hasValues = typeof text === 'string' && Array.isArray(values) && values.length > 0
      const query = super.query.bind(this) as (...sent: unknown[]) => never
      return hasValues ? query(statements.of(text), values, ...more) : query(...sent)
    }
  }
}
