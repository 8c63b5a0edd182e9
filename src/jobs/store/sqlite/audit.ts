import type { DatabaseSync } from 'node:sqlite'
import type { NewAuditEntry } from '../../../core/audit.ts'
import type { AuditEntry, AuditFilter, AuditStore } from '../audit-store.ts'
import { overwriting } from './database.ts'
import { toEntry } from '../rows.ts'
import type { Transactions } from './transactions.ts'
import { VISIBLE, visibleRows } from './visible-rows.ts'

const prepare = (db: DatabaseSync) => ({
  add: db.prepare(
    `INSERT INTO audit (at, key_name, action, project_name, target, outcome, request_id)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ),
  list: db.prepare(
    `SELECT seq, at, key_name, action, project_name, target, outcome, request_id FROM audit
     WHERE seq < :before AND (:project IS NULL OR lower(project_name) = lower(:project))
       AND (:key IS NULL OR key_name = :key)
       AND (:action IS NULL OR action = :action OR substr(action, 1, length(:action) + 1) = :action || '.')
       AND ${VISIBLE}
     ORDER BY seq DESC LIMIT :limit`,
  ),
  forget: db.prepare('DELETE FROM audit WHERE at < ?'),
  forgetProject: db.prepare('DELETE FROM audit WHERE lower(project_name) = lower(?) AND action <> ?'),
})

/** The audit log, in a table. */
export class SqliteAudit implements AuditStore {
  readonly #db: DatabaseSync
  readonly #writes: Transactions
  readonly #ago: (ms: number) => string
  readonly #statements: ReturnType<typeof prepare>

  /** @param ago - The time so many milliseconds ago. */
  constructor(db: DatabaseSync, writes: Transactions, ago: (ms: number) => string) {
    this.#db = db
    this.#writes = writes
    this.#ago = ago
    this.#statements = prepare(db)
  }

  /** Adds an entry within a transaction of the caller. */
  addNow({ key, action, projectName, target, outcome, requestId }: NewAuditEntry): void {
    this.#statements.add.run(this.#ago(0), key, action, projectName, target, outcome, requestId)
  }

  async add(entry: NewAuditEntry): Promise<void> {
    this.#writes.vital(() => this.addNow(entry))
  }

  async addQuickly(entry: NewAuditEntry): Promise<void> {
    this.#writes.quick(() => this.addNow(entry))
  }

  async list(
    { projectName, key, action, visibleTo }: AuditFilter,
    limit: number,
    before: number | null,
  ): Promise<AuditEntry[]> {
    const rows = this.#statements.list.all({
      before: before ?? Number.MAX_SAFE_INTEGER,
      project: projectName ?? null,
      key: key ?? null,
      action: action ?? null,
      ...visibleRows(visibleTo),
      limit,
    })
    return rows.map(toEntry)
  }

  async forget(olderThanMs: number): Promise<void> {
    this.#writes.vital(() => this.#statements.forget.run(this.#ago(olderThanMs)))
  }

  async replace(projectName: string, entry: NewAuditEntry): Promise<void> {
    overwriting(this.#db, () =>
      this.#writes.vital(() => {
        this.#statements.forgetProject.run(projectName, entry.action)
        this.addNow(entry)
      }),
    )
  }
}
