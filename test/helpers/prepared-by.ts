import type { DatabaseSync } from 'node:sqlite'

/** The statements that are prepared for a database while `work` runs. */
export async function preparedBy(db: DatabaseSync, work: () => Promise<unknown>): Promise<string[]> {
  const prepared: string[] = []
  const { prepare } = db
  db.prepare = sql => {
    prepared.push(sql)
    return prepare.call(db, sql)
  }
  try {
    await work()
  } finally {
    db.prepare = prepare
  }
  return prepared
}
