import type { DatabaseSync } from 'node:sqlite'
import { toSession } from '../rows.ts'
import type { SessionStore, WebSession } from '../session-store.ts'
import type { Transactions } from './transactions.ts'

const prepare = (db: DatabaseSync) => ({
  add: db.prepare('INSERT INTO sessions (id, key_name, key_hash, created_at) VALUES (?, ?, ?, ?)'),
  find: db.prepare('SELECT id, key_name, key_hash, created_at FROM sessions WHERE id = ? AND created_at > ?'),
  end: db.prepare('DELETE FROM sessions WHERE id = ?'),
  forget: db.prepare('DELETE FROM sessions WHERE created_at <= ?'),
})

/** Sessions of the pages, in a table. */
export class SqliteSessions implements SessionStore {
  readonly #writes: Transactions
  readonly #ago: (ms: number) => string
  readonly #statements: ReturnType<typeof prepare>

  /** @param ago - The time so many milliseconds ago. */
  constructor(db: DatabaseSync, writes: Transactions, ago: (ms: number) => string) {
    this.#writes = writes
    this.#ago = ago
    this.#statements = prepare(db)
  }

  async add({ id, keyName, keyHash }: Omit<WebSession, 'createdAt'>, lastsMs: number): Promise<void> {
    this.#writes.vital(() => {
      this.#statements.forget.run(this.#ago(lastsMs))
      this.#statements.add.run(id, keyName, keyHash, this.#ago(0))
    })
  }

  async find(id: string, lastsMs: number): Promise<WebSession | null> {
    const row = this.#statements.find.get(id, this.#ago(lastsMs))
    return row === undefined ? null : toSession(row)
  }

  async end(id: string): Promise<void> {
    this.#writes.vital(() => this.#statements.end.run(id))
  }
}
