import type { Database } from '../../../postgres/database.ts'
import { toSession } from '../rows.ts'
import type { SessionStore, WebSession } from '../session-store.ts'
import { Values, type Clock } from './values.ts'

/** Sessions of the pages, in a table. */
export class PostgresSessions implements SessionStore {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  async add({ id, keyName, keyHash }: Omit<WebSession, 'createdAt'>, lastsMs: number): Promise<void> {
    const values = new Values()
    const row = [...[id, keyName, keyHash].map(value => values.add(value, 'text')), this.#clock.now(values)]
    await this.#db.query(
      `WITH gone AS (DELETE FROM sessions WHERE created_at <= ${this.#clock.ago(values, lastsMs)})
      INSERT INTO sessions (id, key_name, key_hash, created_at) SELECT ${row.join(', ')}`,
      values.list,
    )
  }

  async find(id: string, lastsMs: number): Promise<WebSession | null> {
    const values = new Values()
    const conditions = `id = ${values.add(id)} AND created_at > ${this.#clock.ago(values, lastsMs)}`
    // of the primary: who has just signed out is out everywhere
    const { rows } = await this.#db.query(
      `SELECT id, key_name, key_hash, created_at FROM sessions WHERE ${conditions}`,
      values.list,
    )
    return rows[0] === undefined ? null : toSession(rows[0])
  }

  async end(id: string): Promise<void> {
    await this.#db.query('DELETE FROM sessions WHERE id = $1', [id])
  }
}
