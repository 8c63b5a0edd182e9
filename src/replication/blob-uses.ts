import { setTimeout as wait } from 'node:timers/promises'
import { FaultlineError } from '../core/errors.ts'
import type { BlobRef, BlobStore } from '../object-store/blobs/blob-store.ts'
import type { Database, Queryable } from '../postgres/database.ts'

/** What names blobs: only what is named here is kept. */
export interface BlobUses {
  /**
   * Names blobs that an owner is about to need, before any of them is looked for in the store: from now on no
   * collection takes them. Waits for those that are being deleted at this moment.
   *
   * @param owner - Such as `project/shop`.
   * @returns Those that must be put, or looked for, before they can be relied on.
   * @throws {FaultlineError} PROJECT_BUSY: one is being deleted for minutes. The signal's reason.
   */
  need(owner: string, refs: readonly BlobRef[], signal: AbortSignal): Promise<BlobRef[]>
  /** Says that blobs of an owner are in the store. */
  stored(owner: string, refs: readonly BlobRef[]): Promise<void>
  /**
   * Gives up all blobs of an owner but these: they are kept for the time that readers may still need them.
   *
   * @param on - The transaction in which what named them changes.
   */
  keepOnly(on: Queryable, owner: string, refs: readonly BlobRef[]): Promise<void>
  /**
   * Whether all that an owner needs was stored, and none of it was found to be lost since.
   *
   * @param spare - By SHA-256, what is named and can be done without.
   */
  areStored(owner: string, spare?: readonly string[]): Promise<boolean>
  /** Says that the store has no blob of this name, or another content under it: whoever needs it puts it again. */
  lost(sha256: string): Promise<void>
  /**
   * Deletes blobs that nobody named for the time of grace.
   *
   * @param candidates - Blobs that the store changed long ago. @returns How many were deleted.
   */
  collect(candidates: readonly string[], signal: AbortSignal): Promise<number>
  /** Forgets who needed blobs until before the time of grace. */
  forgetReleased(): Promise<void>
}

interface BlobUsesDeps {
  db: Database
  blobs: BlobStore
  /** How long what nobody names any more is kept. */
  graceMs: number
  /** Default: the clock of the database. */
  now?: () => Date
}

/** Keeps `need` and `collect` apart for the moment in which each decides. */
const LOCK = 704_511_902_045n
/** After this time the node that was deleting is taken for dead, and another one goes on. */
const DELETING_MS = 10 * 60_000
/** Ends deletions well before that, so that none arrives late. */
const DELETE_LIMIT_MS = 3 * 60_000
const DELETES_AT_ONCE = 8
const POLL_MS = 200

const NEED = `
  INSERT INTO blob_uses (owner, sha256, added_at)
  SELECT $1, named.sha256, coalesce($3::timestamptz, clock_timestamp()) FROM unnest($2::text[]) AS named (sha256)
  ON CONFLICT (owner, sha256) DO UPDATE SET released_at = NULL WHERE blob_uses.released_at IS NOT NULL`
const NOT_STORED = 'SELECT sha256 FROM blob_uses WHERE owner = $1 AND sha256 = ANY($2) AND NOT is_stored'
const KEEP_ONLY = `
  UPDATE blob_uses SET released_at = coalesce($3::timestamptz, clock_timestamp())
  WHERE owner = $1 AND released_at IS NULL AND sha256 <> ALL($2)`
/** Also takes over what a node that died was deleting. */
const DOOM = `
  INSERT INTO doomed_blobs (sha256, doomed_at)
  SELECT named.sha256, coalesce($2::timestamptz, clock_timestamp()) FROM unnest($1::text[]) AS named (sha256)
  WHERE NOT EXISTS (
    SELECT FROM blob_uses u WHERE u.sha256 = named.sha256 AND (
      u.released_at IS NULL OR
      u.released_at > coalesce($2::timestamptz, clock_timestamp()) - make_interval(secs => $3::float8 / 1000)
    )
  )
  ON CONFLICT (sha256) DO UPDATE SET doomed_at = EXCLUDED.doomed_at
    WHERE doomed_blobs.doomed_at < EXCLUDED.doomed_at - make_interval(secs => ${DELETING_MS / 1_000})
  RETURNING sha256`
/** For a blob that somebody needs again, and whose deletion a node began that died. */
const TAKE_OVER = `
  UPDATE doomed_blobs SET doomed_at = coalesce($2::timestamptz, clock_timestamp())
  WHERE sha256 = ANY($1) AND
    doomed_at < coalesce($2::timestamptz, clock_timestamp()) - make_interval(secs => ${DELETING_MS / 1_000})
  RETURNING sha256`

const namesOf = (refs: readonly BlobRef[]): string[] => [...new Set(refs.map(({ sha256 }) => sha256))]
const textsOf = (rows: ReadonlyArray<Record<string, unknown>>): string[] => rows.map(({ sha256 }) => String(sha256))

/** Runs work on items, so many at once. */
export async function sideBySide<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>) {
  const left = items.values()
  await Promise.all(
    Array.from({ length: Math.min(width, items.length) }, async () => {
      for (const item of left) await work(item)
    }),
  )
}

/**
 * Which blobs are needed, in the database. A blob is named first, then looked for and put, and only then relied on; and
 * it is doomed first, which `need` waits for, then deleted. So a blob that was found is never one that a collection is
 * about to delete.
 */
export function createBlobUses({ db, blobs, graceMs, now }: BlobUsesDeps): BlobUses {
  const clock = (): string | null => now?.().toISOString() ?? null

  /** Deletes what this call doomed, and says when it is done. */
  async function deleteDoomed(names: readonly string[], signal: AbortSignal): Promise<void> {
    if (names.length === 0) return
    const both = AbortSignal.any([signal, AbortSignal.timeout(DELETE_LIMIT_MS)])
    await sideBySide(names, DELETES_AT_ONCE, sha256 => blobs.delete({ sha256 }, both))
    await db.query('DELETE FROM doomed_blobs WHERE sha256 = ANY($1)', [names])
  }

  async function untilDeleted(names: readonly string[], signal: AbortSignal): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      const taken = await db.query(TAKE_OVER, [names, clock()])
      await deleteDoomed(textsOf(taken.rows), signal)
      const { count } = await db.query('SELECT FROM doomed_blobs WHERE sha256 = ANY($1)', [names])
      if (count === 0) return
      if (waitedMs > DELETING_MS) {
        throw new FaultlineError('PROJECT_BUSY', 'Objects are being deleted that are needed again.', 'Try again later.')
      }
      await wait(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  return {
    async need(owner, refs, signal) {
      signal.throwIfAborted()
      const names = namesOf(refs)
      const doomed = await db.transaction(async tx => {
        await tx.query('SELECT pg_advisory_xact_lock_shared($1)', [LOCK])
        await tx.query(NEED, [owner, names, clock()])
        return textsOf((await tx.query('SELECT sha256 FROM doomed_blobs WHERE sha256 = ANY($1)', [names])).rows)
      })
      if (doomed.length > 0) await untilDeleted(doomed, signal)
      const missing = new Set(textsOf((await db.query(NOT_STORED, [owner, names])).rows))
      return [...new Map(refs.map(ref => [ref.sha256, ref])).values()].filter(({ sha256 }) => missing.has(sha256))
    },

    async stored(owner, refs) {
      if (refs.length === 0) return
      await db.query('UPDATE blob_uses SET is_stored = true WHERE owner = $1 AND sha256 = ANY($2)', [
        owner,
        namesOf(refs),
      ])
    },

    async keepOnly(on, owner, refs) {
      await on.query(KEEP_ONLY, [owner, namesOf(refs), clock()])
    },

    async areStored(owner, spare = []) {
      const sql = `SELECT FROM blob_uses WHERE owner = $1 AND released_at IS NULL AND NOT is_stored
        AND NOT (sha256 = ANY ($2)) LIMIT 1`
      return (await db.query(sql, [owner, spare])).count === 0
    },

    async lost(sha256) {
      await db.query('UPDATE blob_uses SET is_stored = false WHERE sha256 = $1', [sha256])
    },

    async collect(candidates, signal) {
      if (candidates.length === 0) return 0
      const doomed = await db.transaction(async tx => {
        await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
        const names = textsOf((await tx.query(DOOM, [candidates, clock(), graceMs])).rows)
        await tx.query('DELETE FROM blob_uses WHERE sha256 = ANY($1)', [names])
        return names
      })
      await deleteDoomed(doomed, signal)
      return doomed.length
    },

    async forgetReleased() {
      await db.query(
        `DELETE FROM blob_uses
         WHERE released_at < coalesce($1::timestamptz, clock_timestamp()) - make_interval(secs => $2::float8 / 1000)`,
        [clock(), graceMs],
      )
    },
  }
}
