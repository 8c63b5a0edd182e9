import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { transaction } from './store/database.ts'

export interface RetentionOptions {
  db: DatabaseSync
  now: () => Date
  days: number
  bytes: number
  removeFolder: (id: string) => Promise<void>
  /** Whether a body of the ended job still puts its tools down. */
  isInUse: (id: string) => boolean
}

interface Gone {
  seq: number
  id: string
}

const HOUR_MS = 3_600_000
const IDEMPOTENCY_HOURS = 24
/** Jobs forgotten in one transaction, which takes about 40 ms. */
const BATCH = 200
/** By size fewer at once: not many more than have to go. */
const SIZE_BATCH = 10
const ENDED = "status IN ('succeeded', 'failed', 'cancelled')"

export type Retention = ReturnType<typeof createRetention>

/**
 * Forgets ended jobs by age and by size, with their files. A row goes before its folder: what a kill leaves between the
 * two is swept at the next start.
 */
export function createRetention({ db, now, days, bytes, removeFolder, isInUse }: RetentionOptions) {
  const remove = db.prepare('DELETE FROM jobs WHERE seq = ?')
  const old = db.prepare(`SELECT seq, id FROM jobs WHERE ${ENDED} AND updated_at < ? LIMIT ${BATCH}`)
  const oldest = db.prepare(`SELECT seq, id FROM jobs WHERE ${ENDED} ORDER BY updated_at LIMIT ${SIZE_BATCH}`)
  const fileBytes = db.prepare(
    'SELECT coalesce(sum(bytes), 0) AS bytes FROM (SELECT DISTINCT job_seq, sha256, bytes FROM job_files WHERE sha256 IS NOT NULL)',
  )
  const forgetKeys = db.prepare('DELETE FROM idempotency_keys WHERE created_at <= ?')
  const before = (hours: number): string => new Date(now().getTime() - hours * HOUR_MS).toISOString()
  const pragma = (name: string): number => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])

  /** Bytes of files that are kept, and of database pages in use. */
  const usedBytes = (): number =>
    Number(fileBytes.get()?.bytes) + (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')

  async function forget(jobs: readonly Gone[]): Promise<void> {
    transaction(db, () => {
      for (const { seq } of jobs) remove.run(seq)
    })
    for (const { id } of jobs) await removeFolder(id)
  }

  const gone = (rows: ReturnType<typeof old.all>): Gone[] =>
    rows.map(row => ({ seq: Number(row.seq), id: String(row.id) }))

  /** The next jobs that have to go. */
  function due(): Gone[] {
    const tooOld = gone(old.all(before(days * 24))).filter(({ id }) => !isInUse(id))
    if (tooOld.length > 0) return tooOld
    return usedBytes() > bytes ? gone(oldest.all()).filter(({ id }) => !isInUse(id)) : []
  }

  return {
    usedBytes,
    remove: (job: Gone): Promise<void> => forget([job]),
    /** A batch at a time, requests in between, until nothing is too old or too much, or `isStopping`. */
    async prune(isStopping: () => boolean): Promise<void> {
      forgetKeys.run(before(IDEMPOTENCY_HOURS))
      while (!isStopping()) {
        const jobs = due()
        if (jobs.length === 0) return
        await forget(jobs)
        await nextTurn()
      }
    },
  }
}
