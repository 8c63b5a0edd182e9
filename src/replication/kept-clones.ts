import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BlobRef, BlobStore } from '../object-store/blobs/blob-store.ts'
import { blobOf } from '../object-store/blobs/blob-store.ts'
import type { Database } from '../postgres/database.ts'
import type { RunKey } from '../jobs/store/run-key.ts'
import type { ProjectClone } from '../repos/clone/clone-user.ts'
import type { OwnBranch } from '../repos/clone/own-branches.ts'
import type { Repos } from '../repos/repos.ts'
import type { BlobUses } from './blob-uses.ts'
import type { CopiedRepository } from './shared-clones.ts'

/** Clones and branches of jobs, for all nodes. */
interface KeptClones {
  /**
   * Keeps a clone, or what was uploaded, as it is now, for nodes that have none. Whoever comes last counts.
   *
   * @returns Bytes of its tar, and whether it was sent or is there already.
   */
  keep(of: CopiedRepository, signal: AbortSignal): Promise<{ bytes: number; isNew: boolean }>
  /** Whether a copy was kept of late: to keep all of a clone after each commit would be most of what is sent. */
  isFresh(of: CopiedRepository): Promise<boolean>
  /** Makes what was kept last, where this node has none. @returns Whether it was made. */
  restore(of: CopiedRepository, signal: AbortSignal): Promise<boolean>
  /**
   * Which commits of a copy any node can have again.
   *
   * @returns `tar`: what the tar in the store holds; null: there is none, or nobody knows. `branches`: those that
   * branches of jobs were kept at; what became of each since was somebody's decision.
   * @throws {ObjectStoreError} The store is away.
   */
  keptCommits(of: CopiedRepository, signal: AbortSignal): Promise<{ tar: string[] | null; branches: string[] }>
  /**
   * Keeps a branch that a job committed as it is now, or that it is no more, if the run is the present one of its job.
   *
   * @param run - Null: nobody's; for what tidies up.
   * @returns Whether it is.
   */
  keepBranch(of: OwnBranch, run: RunKey | null, signal: AbortSignal): Promise<boolean>
  /**
   * Puts the branches of a project that were kept into the clone of this node, and takes those out that are no more.
   *
   * @returns The commits to fetch before calling again; none where all branches are there.
   */
  restoreBranches(of: ProjectClone, signal: AbortSignal): Promise<{ bases: string[] }>
  /** For a project that was deleted. */
  forgetProject(projectName: string): Promise<void>
  /** For a clone that nobody uses any more. */
  forgetClone(repository: string): Promise<void>
}

interface KeptClonesDeps {
  db: Database
  blobs: BlobStore
  uses: BlobUses
  repos: Pick<
    Repos,
    'archive' | 'unarchive' | 'hasCopy' | 'packBranch' | 'unpackBranch' | 'ownBranches' | 'deleteBranch'
  >
  /** For tars on their way; below the folder of this node's data. */
  workDir: string
  /** The name of this node. */
  node: string
}

const READ_BYTES = 1_048_576
/** So long the tar of a clone is good enough: its remote has the rest. */
const FRESH_HOURS = 24

interface KeptBranch {
  branch: string
  commit_id: string
  bases: string[]
  sha256: string | null
  bytes: number | null
}

/** The row of the run is held, as when a generation is published. */
const RUN = "SELECT FROM jobs WHERE seq = $1 AND attempt = $2 AND status = 'running' FOR SHARE"
const KEEP_BRANCH = `
  INSERT INTO kept_branches (repository, project, branch, commit_id, bases, sha256, bytes)
  VALUES ($1, lower($2), $3, $4, $5::jsonb, $6, $7)
  ON CONFLICT (repository, project, branch) DO UPDATE SET
    commit_id = EXCLUDED.commit_id, bases = EXCLUDED.bases, sha256 = EXCLUDED.sha256, bytes = EXCLUDED.bytes,
    kept_at = EXCLUDED.kept_at`
const DROP_BRANCH = 'DELETE FROM kept_branches WHERE repository = $1 AND project = lower($2) AND branch = $3'
const KEEP_CLONE = `
  INSERT INTO kept_clones (repository, sha256, bytes, node, held) VALUES ($1, $2, $3, $4, $5::jsonb)
  ON CONFLICT (repository) DO UPDATE SET
    sha256 = EXCLUDED.sha256, bytes = EXCLUDED.bytes, node = EXCLUDED.node, kept_at = EXCLUDED.kept_at,
    held = EXCLUDED.held`
const NOTE_COMMIT = `
  INSERT INTO kept_branch_commits (repository, project, commit_id) VALUES (lower($1), lower($2), $3)
  ON CONFLICT DO NOTHING`

/** Names a clone, or what was uploaded. */
const keyOf = ({ repository, uploadedInto }: CopiedRepository): string =>
  (uploadedInto === null ? repository : `upload://${uploadedInto}/${repository}`).toLowerCase()
const cloneOwner = (key: string): string => `clone/${key}`
const branchOwner = ({ repository, projectName, branch }: OwnBranch): string =>
  `branch/${repository.toLowerCase()}/${projectName.toLowerCase()}/${branch}`

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
    keep: (of, signal) =>
      withFile(async archive => {
        const { commits } = await repos.archive({ ...of, archive }, signal)
        const ref = await refOf(archive)
        const key = keyOf(of)
        const owner = cloneOwner(key)
        const missing = await uses.need(owner, [ref], signal)
        const isNew = missing.length > 0 && (await blobs.putFile(ref, archive, signal))
        await uses.stored(owner, missing)
        await db.transaction(async tx => {
          // a release before this one writes other tars and leaves what is said here: it is of this tar alone
          const held = JSON.stringify({ sha256: ref.sha256, commits })
          await tx.query(KEEP_CLONE, [key, ref.sha256, ref.bytes, node, held])
          await uses.keepOnly(tx, owner, [ref])
        })
        return { bytes: ref.bytes, isNew }
      }),

    async isFresh(of) {
      if (!(await uses.areStored(cloneOwner(keyOf(of))))) return false
      const { rows } = await db.query(
        `SELECT kept_at > now() - interval '${FRESH_HOURS} hours' AS is_fresh FROM kept_clones WHERE repository = $1`,
        [keyOf(of)],
      )
      return rows[0]?.is_fresh === true
    },

    async restore(of, signal) {
      if (await repos.hasCopy(of)) return false
      const { rows } = await db.query('SELECT sha256, bytes FROM kept_clones WHERE repository = $1', [keyOf(of)])
      const [row] = rows
      if (row === undefined) return false
      const ref = { sha256: String(row.sha256), bytes: Number(row.bytes) }
      return await withFile(async archive => {
        await pipeline(blobs.get(ref, signal), createWriteStream(archive, { flags: 'wx', mode: 0o600 }), { signal })
        return await repos.unarchive({ ...of, archive }, signal)
      })
    },

    async keptCommits(of, signal) {
      const clone = await db.query('SELECT sha256, bytes, held FROM kept_clones WHERE repository = $1', [keyOf(of)])
      const branches = await db.query('SELECT commit_id FROM kept_branch_commits WHERE repository = lower($1)', [
        of.repository,
      ])
      const [row] = clone.rows
      const sha256 = String(row?.sha256)
      const held = (row?.held ?? null) as { sha256: string; commits: string[] } | null
      const isKnown = held?.sha256 === sha256 && (await blobs.has({ sha256 }, signal))
      return {
        tar: held !== null && isKnown ? held.commits : null,
        branches: branches.rows.map(({ commit_id: commit }) => String(commit)),
      }
    },

    async keepBranch(of, run, signal) {
      const { repository, projectName, branch } = of
      const { commit, bases, pack } = await repos.packBranch(of, signal)
      const ref = pack === null ? null : blobOf(pack)
      const refs = ref === null ? [] : [ref]
      const owner = branchOwner(of)
      const missing = await uses.need(owner, refs, signal)
      if (ref !== null && pack !== null && missing.length > 0) await blobs.putKnown(ref, pack, signal)
      await uses.stored(owner, missing)
      const name = [repository, projectName, branch]
      return await db.transaction(async tx => {
        if (run !== null && (await tx.query(RUN, [run.seq, run.attempt])).count === 0) return false
        if (commit === null) await tx.query(DROP_BRANCH, name)
        else {
          const what = [commit, JSON.stringify(bases), ref?.sha256 ?? null, ref?.bytes ?? null]
          await tx.query(KEEP_BRANCH, [...name, ...what])
          await tx.query(NOTE_COMMIT, [repository, projectName, commit])
        }
        await uses.keepOnly(tx, owner, refs)
        return true
      })
    },

    async restoreBranches(of, signal) {
      const { rows } = await db.query(
        `SELECT branch, commit_id, bases, sha256, bytes FROM kept_branches
         WHERE repository = $1 AND project = lower($2) ORDER BY branch`,
        [of.repository, of.projectName],
      )
      const kept = rows.map(row => row as unknown as KeptBranch)
      const here = (await repos.ownBranches(of.projectName)).filter(({ repository }) => repository === of.repository)
      for (const own of here) {
        if (!kept.some(({ branch }) => branch === own.branch)) await repos.deleteBranch(own, signal)
      }
      const missing = new Set<string>()
      for (const { branch, commit_id: commit, bases, sha256, bytes } of kept) {
        const pack = sha256 === null ? null : await blobs.read({ sha256, bytes: Number(bytes) }, signal)
        if (await repos.unpackBranch({ ...of, branch, commit, pack }, signal)) continue
        for (const base of bases) missing.add(base)
      }
      return { bases: [...missing] }
    },

    async forgetProject(projectName) {
      await db.transaction(async tx => {
        const sql = 'DELETE FROM kept_branches WHERE project = lower($1) RETURNING repository, branch'
        for (const { repository, branch } of (await tx.query(sql, [projectName])).rows) {
          const of = { repository: String(repository), projectName, branch: String(branch) }
          await uses.keepOnly(tx, branchOwner(of), [])
        }
        await tx.query('DELETE FROM kept_branch_commits WHERE project = lower($1)', [projectName])
        const prefix = `upload://${projectName.toLowerCase()}/`
        const uploaded = 'DELETE FROM kept_clones WHERE starts_with(repository, $1) RETURNING repository'
        for (const { repository } of (await tx.query(uploaded, [prefix])).rows) {
          await uses.keepOnly(tx, cloneOwner(String(repository)), [])
        }
      })
    },

    async forgetClone(repository) {
      const key = keyOf({ repository, uploadedInto: null })
      await db.transaction(async tx => {
        await tx.query('DELETE FROM kept_clones WHERE repository = $1', [key])
        await uses.keepOnly(tx, cloneOwner(key), [])
      })
    },
  }
}
