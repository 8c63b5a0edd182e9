import type { NewAuditEntry } from '../../../core/audit.ts'
import type { Database } from '../../../postgres/database.ts'
import type { AuditEntry, AuditFilter, AuditStore } from '../audit-store.ts'
import { toEntry } from '../rows.ts'
import { Values, type Clock } from './values.ts'
import { listQuery } from './visible-rows.ts'

/** The SQL that adds an entry, for each row of `from` if that is given. */
export function auditRow(values: Values, clock: Clock, entry: NewAuditEntry, from?: string): string {
  const { key, action, projectName, target, outcome, requestId } = entry
  const texts = [key, action, projectName, target, outcome, requestId].map(text => values.add(text, 'text'))
  return `INSERT INTO audit (at, key_name, action, project_name, target, outcome, request_id)
    SELECT ${clock.now(values)}, ${texts.join(', ')}${from === undefined ? '' : ` FROM ${from}`}`
}

/** The audit log, in a table. */
export class PostgresAudit implements AuditStore {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  async add(entry: NewAuditEntry): Promise<void> {
    const values = new Values()
    await this.#db.query(auditRow(values, this.#clock, entry), values.list)
  }

  async addQuickly(entry: NewAuditEntry): Promise<void> {
    const values = new Values()
    const sql = auditRow(values, this.#clock, entry)
    await this.#db.query(`WITH noted AS (${sql}) SELECT set_config('synchronous_commit', 'off', true)`, values.list)
  }

  async list(
    { projectName, key, action, visibleTo = null }: AuditFilter,
    limit: number,
    before: number | null,
  ): Promise<AuditEntry[]> {
    const values = new Values()
    const conditions: string[] = []
    if (before !== null) conditions.push(`seq < ${values.add(before)}`)
    if (projectName !== undefined) conditions.push(`lower(project_name) = lower(${values.add(projectName)})`)
    if (key !== undefined) conditions.push(`key_name = ${values.add(key)}`)
    if (action !== undefined) {
      const wanted = values.add(action, 'text')
      conditions.push(`(action = ${wanted} OR left(action, length(${wanted}) + 1) = ${wanted} || '.')`)
    }
    const columns = 'seq, at, key_name, action, project_name, target, outcome, request_id'
    const query = { table: 'audit', columns, by: 'seq', conditions, visibleTo, hasKeys: true, limit }
    const { rows } = await this.#db.reads.query(listQuery(values, query), values.list)
    return rows.map(toEntry)
  }

  async forget(olderThanMs: number): Promise<void> {
    const values = new Values()
    await this.#db.query(`DELETE FROM audit WHERE at < ${this.#clock.ago(values, olderThanMs)}`, values.list)
  }

  async replace(projectName: string, entry: NewAuditEntry): Promise<void> {
    const values = new Values()
    const name = values.add(projectName)
    const action = values.add(entry.action)
    const sql = auditRow(values, this.#clock, entry)
    await this.#db.query(
      `WITH gone AS (DELETE FROM audit WHERE lower(project_name) = lower(${name}) AND action <> ${action}) ${sql}`,
      values.list,
    )
  }
}
