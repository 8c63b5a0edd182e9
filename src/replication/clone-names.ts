import type { Database } from '../postgres/database.ts'

/** What may be the name of a remote's clone. */
interface Candidates {
  /** Tells the remote from others. */
  identity: string
  /** The best first; the last one is no other remote's. */
  names: readonly string[]
}

/**
 * Takes a name for the clone of a remote, the same on all nodes: folders, manifests and requests name it. Names that
 * differ in case alone are one.
 */
export async function claimCloneName(db: Database, { identity, names }: Candidates): Promise<string> {
  const find = async (): Promise<string | null> => {
    const { rows } = await db.query('SELECT name FROM clones WHERE identity = $1', [identity])
    return rows[0] === undefined ? null : String(rows[0].name)
  }
  const known = await find()
  if (known !== null) return known
  for (const name of names) {
    // another node may take it, or a name for this remote, at the same time
    await db.query('INSERT INTO clones (key, name, identity) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      name.toLowerCase(),
      name,
      identity,
    ])
    const claimed = await find()
    if (claimed !== null) return claimed
  }
  throw new Error(`no name is left for the clone of ${identity}`)
}
