import { toWire } from '../contract/wire.ts'
import { AuditEntrySchema, type AuditPage } from '../contract/audit.ts'
import type { Visibility } from '../core/access.ts'
import type { Actor } from '../core/audit.ts'
import { decodeNumberCursor, encodeCursor } from '../core/cursor.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { AuditStore } from '../jobs/store/audit-store.ts'
import type { Log } from './log.ts'

/** Which entries are asked for, in the names of the contract. */
export interface AuditQuestion {
  limit: number
  cursor?: string
  project_name?: string
  key?: string
  action?: string
}

/** What was refused. */
export interface Refusal {
  code: ErrorCode
  /** The route, with the names of its parameters in place of their values. */
  route: string
  /** Null for whoever has no key: nobody without one writes into the log what he likes. */
  projectName: string | null
}

/** Who did what. */
export interface Audit {
  /** @param visibleTo - Who asks; null for somebody who sees everything. */
  page(question: AuditQuestion, visibleTo: Visibility | null): Promise<AuditPage>
  /** Notes what was refused; never fails, and so many a minute only. */
  refused(by: Actor, refusal: Refusal): Promise<void>
}

/** Refusals that are kept of a minute: anybody can send requests without a key, and each entry takes room. */
const REFUSALS_A_MINUTE = 120
const MINUTE_MS = 60_000

/** The audit log, over its table. */
export function createAudit(store: AuditStore, log: Log, now: () => number = Date.now): Audit {
  let minute = 0
  let refusals = 0

  /** Whether one more is kept; the first one that is not is told to the log. */
  function isKept(): boolean {
    const at = Math.floor(now() / MINUTE_MS)
    if (at !== minute) refusals = 0
    minute = at
    refusals++
    if (refusals === REFUSALS_A_MINUTE + 1) {
      log.warn({ perMinute: REFUSALS_A_MINUTE }, 'many requests are refused; the audit log leaves the rest of them out')
    }
    return refusals <= REFUSALS_A_MINUTE
  }

  return {
    async page({ limit, cursor, project_name: projectName, key, action }, visibleTo) {
      const filter = { projectName, key, action, visibleTo }
      const page = await store.list(filter, limit + 1, decodeNumberCursor(cursor))
      const last = page[limit - 1]
      return {
        data: page.slice(0, limit).map(entry => toWire(AuditEntrySchema, entry)),
        next_cursor: page.length > limit && last !== undefined ? encodeCursor(last.seq) : null,
      }
    },
    async refused({ keyName, requestId }, { code, route, projectName }) {
      if (!isKept()) return
      const entry = { key: keyName, action: 'refused', projectName, target: route, outcome: code, requestId }
      try {
        await store.addQuickly(entry)
      } catch (error) {
        log.warn({ err: error }, 'a refusal could not be written to the audit log')
      }
    },
  }
}
