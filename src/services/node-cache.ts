import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobCache } from '../object-store/blobs/blob-cache.ts'
import { DiskCache, type Holding } from '../replication/disk-cache.ts'
import type { InUse } from '../replication/in-use.ts'
import { isAway } from '../replication/is-away.ts'
import type { Store } from '../vecstore/store.ts'
import { lastUseOnDisk, noteUse } from '../vecstore/local-copy.ts'
import type { Log } from './log.ts'

/** What this node holds of projects. */
interface CacheSize {
  /** Projects whose index lies here. */
  projects: number
  bytes: number
  /** Null: there is none. */
  maxBytes: number | null
}

/** What lies on the disk of this node and can be fetched again, within a limit. */
export interface NodeCache {
  /** As of the last look, which is a minute old at the most. */
  size(): CacheSize
  /** The indexes that lie here. */
  indexes(): Promise<Array<{ project: string; bytes: number; chunks: number | null }>>
  /** Says that something came, or may go. */
  grew(): void
  /** Gives up so many bytes where that is possible, for a disk that is full. @returns Bytes that went. */
  makeRoom(bytes: number): Promise<number>
  /** Begins to look, when what killed processes left is gone. */
  start(): void
  close(): Promise<void>
}

interface NodeCacheDeps {
  /** The indexes of this node. */
  store: Pick<Store, 'listProjects' | 'publication' | 'storeBytes' | 'readManifest'>
  root: string
  blobs: BlobCache
  inUse: InUse
  /** Gives up the index of a project. @returns Whether it is gone. */
  release: (project: string, signal: AbortSignal) => Promise<boolean>
  /** The clones of this node. */
  clones: () => Promise<Holding[]>
  /** Takes away what is left here of projects that are gone. */
  tidy: () => Promise<void>
  /** Null: a share of the disk. */
  maxBytes: number | null
  log: Log
  closing: AbortSignal
}

interface IndexSize {
  publication: string
  bytes: number
  chunks: number | null
}

/** Of the disk, where no limit was set: the rest is for jobs, their workspaces, and whatever else lies there. */
const DISK_SHARE = 0.5

async function shareOfDisk(folder: string): Promise<number> {
  const { blocks, bsize } = await statfs(folder)
  return Math.floor(blocks * bsize * DISK_SHARE)
}

/** Looks after indexes, clones and kept files of this node. */
export async function openNodeCache({
  store,
  root,
  blobs,
  inUse,
  release,
  clones,
  tidy,
  maxBytes,
  log,
  closing,
}: NodeCacheDeps): Promise<NodeCache> {
  /** Sizes, by what is published: nothing else changes them. */
  let sizes = new Map<string, IndexSize>()

  /** Notes for the next start when each was used; only here, so that no request writes. */
  async function noteUses(projects: readonly string[]): Promise<void> {
    const used = new Set(inUse.used())
    for (const project of projects) {
      const at = used.has(project.toLowerCase()) ? inUse.lastUse(project) : null
      if (at !== null) await noteUse(join(root, project), at)
    }
  }

  async function sizeOf(project: string): Promise<IndexSize | null> {
    const publication = await store.publication(project)
    if (publication === null) return null
    const before = sizes.get(project)
    if (before?.publication === publication) return before
    const manifest = await store.readManifest(project).catch(() => null) // damaged, or just deleted
    return { publication, bytes: await store.storeBytes(project), chunks: manifest?.chunksTotal ?? null }
  }

  /** Sizes of what lies here now. */
  async function measure(): Promise<typeof sizes> {
    const found: typeof sizes = new Map()
    for (const project of await store.listProjects()) {
      const size = await sizeOf(project)
      if (size !== null) found.set(project, size)
    }
    sizes = found
    return found
  }

  const lastUse = async (project: string): Promise<number> =>
    inUse.lastUse(project) ?? (await lastUseOnDisk(join(root, project)))

  async function indexHoldings(): Promise<Holding[]> {
    const found = await measure()
    await noteUses([...found.keys()])
    const holdings = []
    for (const [project, { bytes }] of found) {
      holdings.push({
        name: `index of ${project}`,
        bytes,
        usedAt: await lastUse(project),
        async evict(signal: AbortSignal) {
          const isGone = await release(project, signal)
          if (isGone) sizes.delete(project)
          return isGone
        },
      })
    }
    return holdings
  }

  async function blobHoldings(): Promise<Holding[]> {
    return (await blobs.list()).map(({ sha256, bytes, usedAt }) => ({
      name: `blob ${sha256.slice(0, 12)}`,
      bytes,
      usedAt,
      evict: () => blobs.drop(sha256),
    }))
  }

  /** The figures are known though the database is away. */
  async function tidyUnlessAway(): Promise<void> {
    try {
      await tidy()
    } catch (error) {
      if (!isAway(error)) throw error
    }
  }

  const cache = new DiskCache({
    maxBytes: maxBytes ?? (await shareOfDisk(root)),
    async holdings() {
      const clonesHere = await clones()
      await tidyUnlessAway()
      // a clone that was used as long ago goes first: the index answers without it
      return [...clonesHere, ...(await indexHoldings()), ...(await blobHoldings())]
    },
    onEvicted: ({ names, bytes }) =>
      log.info({ bytes, count: names.length, names: names.slice(0, 20) }, 'copies that were used longest ago went'),
    onFailed: error => log.warn({ err: error }, 'a copy on the disk of this node could not be given up'),
    signal: closing,
  })

  return {
    size: () => ({ projects: sizes.size, ...cache.size }),
    indexes: async () => [...(await measure())].map(([project, { bytes, chunks }]) => ({ project, bytes, chunks })),
    grew: () => cache.grew(),
    makeRoom: bytes => cache.makeRoom(bytes),
    start: () => cache.start(),
    close: () => cache.close(),
  }
}
