import type { Visibility } from '../../core/access.ts'
import type { NewAuditEntry } from '../../core/audit.ts'

/** An entry as it is kept; `seq` is the order in which entries were written. */
export interface AuditEntry extends NewAuditEntry {
  seq: number
  /** RFC 3339, UTC. */
  at: string
}

/** Which entries a list shows: those that have all of it. */
export interface AuditFilter {
  projectName?: string
  key?: string
  /** An action, or what several of them begin with up to a full stop: `reply` stands for `reply.approve`, too. */
  action?: string
  /** Null, as when left out: all of them. */
  visibleTo?: Visibility | null
}

/**
 * Who did what. What belongs to a change of a job is written with that change, by `JobStore`; the rest by `add`. What
 * every implementation has to do is `test/contracts/audit-store.ts`.
 */
export interface AuditStore {
  /** Adds an entry that is on the disk when this resolves. */
  add(entry: NewAuditEntry): Promise<void>
  /** Adds an entry that a power cut may lose: what was refused. */
  addQuickly(entry: NewAuditEntry): Promise<void>
  /** Newest first; `before` is the `seq` that the previous page ended with. */
  list(filter: AuditFilter, limit: number, before: number | null): Promise<AuditEntry[]>
  /** Forgets entries that are older than so many milliseconds. */
  forget(olderThanMs: number): Promise<void>
  /**
   * Puts one entry in place of all that are about a project but those of the same action, of which nothing is left on
   * the disk.
   */
  replace(projectName: string, entry: NewAuditEntry): Promise<void>
}
