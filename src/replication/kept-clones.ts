import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BlobRef, BlobStore } from '../object-store/blobs/blob-store.ts'
import { blobOf } from '../object-store/blobs/blob-store.ts'
import type { Database } from '../postgres/database.ts'
import type { Repos } from '../repos/repos.ts'
import type { BlobUses } from './blob-uses.ts'

/** Clones and branches of jobs, for all nodes. */
interface KeptClones {
  /**
   * Keeps a clone as it is now, for nodes that have none. A cache: whoever comes last counts.
   *
   * @returns Bytes of its tar, and whether it was sent or is there already.
   */
  keep(repository: string, signal: AbortSignal): Promise<{ bytes: number; isNew: boolean }>
  /** Makes the clone that was kept last, where this node has none. @returns Whether it was made. */
  restore(repository: string, signal: AbortSignal): Promise<boolean>
  /**
   * Keeps the branches that jobs committed for a project in a clone, if the run is the present one of its job.
   *
   * @returns Whether it is.
   */
  keepBranches(of: ProjectClone, run: { seq: number; attempt: number }, signal: AbortSignal): Promise<boolean>
  /**
   * Puts the branches that were kept last into the clone of this node.
   *
   * @returns Those that lack something, and the commits to fetch before calling again.
   */
  restoreBranches(of: ProjectClone, signal: AbortSignal): Promise<{ incomplete: string[]; bases: string[] }>
  /** For a project that was deleted. */
  forgetProject(projectName: string): Promise<void>
  /** For a clone that nobody uses any more. */
  forgetClone(repository: string): Promise<void>
}

interface ProjectClone {
  repository: string
  projectName: string
}

interface KeptClonesDeps {
  db: Database
  blobs: BlobStore
  uses: BlobUses
  repos: Pick<Repos, 'archive' | 'unarchive' | 'packBranches' | 'unpackBranches'>
  /** For tars on their way; below the folder of this node's data. */
  workDir: string
  /** The name of this node. */
  node: string
}

const READ_BYTES = 1_048_576

/** The row of the run is held, as when a generation is published. */
const KEEP_BRANCHES = `
  WITH run AS (SELECT FROM jobs WHERE seq = $7 AND attempt = $8 AND status = 'running' FOR SHARE)
  INSERT INTO kept_branches (repository, project, branches, bases, sha256, bytes, job_seq, attempt)
  SELECT $1, $2, $3::jsonb, $4::jsonb, $5, $6, $7, $8 FROM run
  ON CONFLICT (repository, project) DO UPDATE SET
    branches = EXCLUDED.branches, bases = EXCLUDED.bases, sha256 = EXCLUDED.sha256, bytes = EXCLUDED.bytes,
    job_seq = EXCLUDED.job_seq, attempt = EXCLUDED.attempt, kept_at = EXCLUDED.kept_at`
const KEEP_CLONE = `
  INSERT INTO kept_clones (repository, sha256, bytes, node) VALUES ($1, $2, $3, $4)
  ON CONFLICT (repository) DO UPDATE SET
    sha256 = EXCLUDED.sha256, bytes = EXCLUDED.bytes, node = EXCLUDED.node, kept_at = EXCLUDED.kept_at`

const cloneOwner = (repository: string): string => `clone/${repository.toLowerCase()}`
const branchesOwner = ({ repository, projectName }: ProjectClone): string =>
  `branches/${repository.toLowerCase()}/${projectName.toLowerCase()}`

async function refOf(path: string): Promise<BlobRef> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    hash.update(piece)
    bytes += piece.length
  }
  return { sha256: hash.digest('hex'), bytes }
}

/** Clones and branches as blobs, which rows name. */
export function createKeptClones({ db, blobs, uses, repos, workDir, node }: KeptClonesDeps): KeptClones {
  /** Lets `work` use a path of its own, and removes what lies there afterwards. */
  async function withFile<T>(work: (path: string) => Promise<T>): Promise<T> {
    await mkdir(workDir, { recursive: true, mode: 0o700 })
    const path = join(workDir, `${randomUUID()}.tar`)
    try {
      return await work(path)
    } finally {
      await rm(path, { force: true })
    }
  }

  return {
    keep: (repository, signal) =>
      withFile(async archive => {
        await repos.archive({ repository, archive }, signal)
        const ref = await refOf(archive)
        const owner = cloneOwner(repository)
        const missing = await uses.need(owner, [ref], signal)
        const isNew = missing.length > 0 && (await blobs.putFile(ref, archive, signal))
        await uses.stored(owner, missing)
        await db.transaction(async tx => {
          await tx.query(KEEP_CLONE, [repository, ref.sha256, ref.bytes, node])
          await uses.keepOnly(tx, owner, [ref])
        })
        return { bytes: ref.bytes, isNew }
      }),

    async restore(repository, signal) {
      const { rows } = await db.query('SELECT sha256, bytes FROM kept_clones WHERE repository = $1', [repository])
      const [row] = rows
      if (row === undefined) return false
      const ref = { sha256: String(row.sha256), bytes: Number(row.bytes) }
      return await withFile(async archive => {
        await pipeline(blobs.get(ref, signal), createWriteStream(archive, { flags: 'wx', mode: 0o600 }), { signal })
        return await repos.unarchive({ repository, archive }, signal)
      })
    },

    async keepBranches(of, { seq, attempt }, signal) {
      const { branches, bases, pack } = await repos.packBranches(of, signal)
      const ref = pack === null ? null : blobOf(pack)
      const refs = ref === null ? [] : [ref]
      const owner = branchesOwner(of)
      const missing = await uses.need(owner, refs, signal)
      if (ref !== null && pack !== null && missing.length > 0) await blobs.putKnown(ref, pack, signal)
      await uses.stored(owner, missing)
      const json = [JSON.stringify(branches), JSON.stringify(bases)]
      const values = [of.repository, of.projectName, ...json, ref?.sha256 ?? null, ref?.bytes ?? null, seq, attempt]
      return await db.transaction(async tx => {
        if ((await tx.query(KEEP_BRANCHES, values)).count === 0) return false
        await uses.keepOnly(tx, owner, refs)
        return true
      })
    },

    async restoreBranches(of, signal) {
      const { rows } = await db.query(
        'SELECT branches, bases, sha256, bytes FROM kept_branches WHERE repository = $1 AND lower(project) = lower($2)',
        [of.repository, of.projectName],
      )
      const [row] = rows
      if (row === undefined) return { incomplete: [], bases: [] }
      const { branches, bases, sha256, bytes } = row as {
        branches: Array<{ branch: string; commit: string }>
        bases: string[]
        sha256: string | null
        bytes: number | null
      }
      const pack = sha256 === null ? null : await blobs.read({ sha256, bytes: Number(bytes) }, signal)
      const { incomplete } = await repos.unpackBranches({ ...of, branches, pack }, signal)
      return { incomplete, bases: incomplete.length === 0 ? [] : bases }
    },

    async forgetProject(projectName) {
      await db.transaction(async tx => {
        const sql = 'DELETE FROM kept_branches WHERE lower(project) = lower($1) RETURNING repository'
        for (const { repository } of (await tx.query(sql, [projectName])).rows) {
          await uses.keepOnly(tx, branchesOwner({ repository: String(repository), projectName }), [])
        }
      })
    },

    async forgetClone(repository) {
      await db.transaction(async tx => {
        await tx.query('DELETE FROM kept_clones WHERE repository = $1', [repository])
        await uses.keepOnly(tx, cloneOwner(repository), [])
      })
    },
  }
}
