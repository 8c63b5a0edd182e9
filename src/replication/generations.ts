import { setTimeout as delay } from 'node:timers/promises'
import { FaultlineError } from '../core/errors.ts'
import {
  BlobDamagedError,
  BlobMissingError,
  blobOf,
  type BlobRef,
  type BlobStore,
} from '../object-store/blobs/blob-store.ts'
import type { Database } from '../postgres/database.ts'
import { sideBySide, type BlobUses } from './blob-uses.ts'
import { createGenerationTurns } from './generation-turns.ts'
import {
  findPublished,
  isRunning,
  pointAt,
  projectsWith,
  removePublished,
  type PublishedGeneration,
  type Publisher,
} from './published-rows.ts'

/** A generation of this machine that is to be sent; its files stay readable until it is disposed of. */
interface Described<Description> extends AsyncDisposable {
  readonly description: Description
  readPiece(sha256: string): Promise<Uint8Array>
}

/** How generations are taken apart and put together again. */
export interface GenerationTransport<Description extends { generation: number }> {
  /** What is published on this machine; null: nothing. `previous`: what was described before. */
  describe(
    project: string,
    options: { previous: Description | null; signal: AbortSignal },
  ): Promise<Described<Description> | null>
  /** Every piece that a generation is put together of, once. */
  piecesOf(description: Description): Iterable<BlobRef>
  /** Pieces that nodes can make of the others, and ask for only where they cannot. */
  sparePiecesOf(description: Description): Iterable<BlobRef>
  /** The same generation as nodes of releases before this one describe it. */
  ofOlderReleases(description: Description): readonly Description[]
  /** Whether two descriptions are of the same files, however these travel. */
  isSame(one: Description, other: Description): boolean
  encode(description: Description): Uint8Array
  /** @throws {FaultlineError} INDEX_INCOMPATIBLE */
  decode(project: string, bytes: Uint8Array): Description
  /** Makes a generation the published one of this machine. Two of one project never run at once. */
  assemble(
    project: string,
    description: Description,
    fetchPiece: (piece: BlobRef, signal: AbortSignal) => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<unknown>
  /** Tells one publication on this machine from another; null: there is none. */
  publication(project: string): Promise<string | null>
  /** Removes what is published on this machine; readers that have it open keep it. */
  drop(project: string): Promise<void>
}

/**
 * How publishing ended. `fenced`: the run is not the present one of its job. `behind`: a newer generation is published,
 * or another one of the same number.
 */
type Publication =
  | { outcome: 'published'; generation: number; blobs: number; sent: number; sentBytes: number }
  | { outcome: 'fenced' | 'behind'; generation: number }

/** Generations of projects, the same on all nodes. */
interface SharedGenerations {
  /**
   * Makes what is published on this machine the generation that all nodes answer from: sends what the store has not,
   * then sets the pointer, if the run may and nothing newer is there.
   *
   * @param summary - JSON for lists. @throws {FaultlineError} INDEX_NOT_READY: nothing is published here.
   * @throws {ObjectStoreError} The store is away; what was sent is not sent again.
   */
  publish(
    project: string,
    publisher: Publisher,
    options: { summary?: unknown; signal: AbortSignal },
  ): Promise<Publication>
  /**
   * The same for what no run made, as when the folders of a single machine are taken over: nothing newer may be there.
   *
   * @returns `none`: nothing is published on this machine.
   */
  takeOver(project: string, node: string, signal: AbortSignal): Promise<'published' | 'behind' | 'none'>
  /**
   * Whether what is published on this machine is what all nodes answer from, and the store has all of it.
   *
   * @returns What is not; null: all is the same, or nothing is published on either side.
   */
  difference(project: string, signal: AbortSignal): Promise<string | null>
  /** What all nodes are to answer from; null: nothing is published. */
  published(project: string): Promise<PublishedGeneration | null>
  /** Projects whose published index may hold a repository: those whose publisher said so, and that said nothing. */
  projectsWith(repository: string): Promise<string[]>
  /**
   * Brings this machine to what is published. Calls for one project share one restoration.
   *
   * @returns Whether something changed here. `none`: nothing is published. `held`: a build goes on here.
   * @throws {ObjectStoreError} The store is away, or lost a piece; what is here stays.
   */
  restore(project: string, signal: AbortSignal): Promise<Restoration | 'held'>
  /**
   * Keeps what is published on this machine from being brought back to what all nodes have, while a build of the
   * project goes on here: from before it begins until it was published, or has failed. Waits for a restoration that is
   * under way.
   */
  hold(project: string): Promise<Disposable>
  /**
   * Sends again what the store lost of the published generation, and what a node asked for that cannot make it, where
   * this machine has it.
   *
   * @returns Whether it has it.
   */
  mend(project: string, signal: AbortSignal): Promise<boolean>
  /**
   * Gives up what this machine has, which `restore` brings back: not while a build goes on or something is put
   * together, nor what is not published for all, or what the store does not have.
   *
   * @param begin - Called right before, with nothing between it and the moment from which `restore` waits for the end:
   * false keeps everything.
   * @returns Whether it is gone. @throws {FaultlineError} The store or the database is away.
   */
  release(project: string, begin: () => boolean, signal: AbortSignal): Promise<boolean>
  /**
   * Gives up what is published where neither this node nor the store has it any more, nor a node that puts it again in
   * some seconds: a build could not go on from it, and nothing that it publishes would be newer.
   *
   * @returns Whether it was given up. @throws {FaultlineError} DATABASE_UNAVAILABLE, OBJECT_STORE_UNAVAILABLE.
   */
  giveUpLost(project: string, signal: AbortSignal): Promise<boolean>
  /** For a project that was deleted: what was published of it is given up. */
  forget(project: string): Promise<void>
}

type Restoration = 'restored' | 'current' | 'none'

interface GenerationDeps<Description extends { generation: number }> {
  db: Database
  blobs: BlobStore
  uses: BlobUses
  transport: GenerationTransport<Description>
}

const PUTS_AT_ONCE = 8
const MAX_KNOWN = 1_000
/** Another node that has what the store lost puts it again meanwhile. */
const LOOKS_FOR_LOST = 6
const LOOK_FOR_LOST_MS = 1_000

const ownerOf = (project: string): string => `project/${project.toLowerCase()}`

/** What was described or restored last of a project. */
interface Known<Description> {
  description: Description
  sha256: string
  /** Of this machine, when it was restored. */
  publication: string | null
}

/** How a generation is published. */
interface PublishOptions {
  /** The publication of this machine, as it was before it was described. */
  publication: string | null
  summary: unknown
  signal: AbortSignal
}

interface Pieces<Description> {
  ref: BlobRef
  description: Description
  readPiece(sha256: string): Promise<Uint8Array>
  /** Whether somebody asked for spare pieces: they are named in any case, and kept where they were put. */
  withSpare: boolean
}

/** Generations in an object store, which one row for each project points at. */
export function createSharedGenerations<Description extends { generation: number }>({
  db,
  blobs,
  uses,
  transport,
}: GenerationDeps<Description>): SharedGenerations {
  const known = new Map<string, Known<Description>>()
  const turns = createGenerationTurns()

  function remember(project: string, what: Known<Description>): void {
    known.delete(project)
    known.set(project, what)
    const [oldest] = known.keys()
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
  }

  const published = (project: string) => findPublished(db, project)

  /** Puts what the store has not. @returns How much that was. */
  async function send(
    owner: string,
    { ref, description, readPiece, withSpare }: Pieces<Description>,
    signal: AbortSignal,
  ): Promise<{ all: BlobRef[]; sent: number; sentBytes: number }> {
    const spare = [...transport.sparePiecesOf(description)]
    const all = [ref, ...transport.piecesOf(description), ...spare]
    const isSpare = new Set(withSpare ? [] : spare.map(({ sha256 }) => sha256))
    const missing = (await uses.need(owner, all, signal)).filter(({ sha256 }) => !isSpare.has(sha256))
    let sent = 0
    let sentBytes = 0
    await sideBySide(missing, PUTS_AT_ONCE, async piece => {
      const bytes = piece.sha256 === ref.sha256 ? transport.encode(description) : await readPiece(piece.sha256)
      if (!(await blobs.putKnown(piece, bytes, signal))) return
      sent++
      sentBytes += piece.bytes
    })
    await uses.stored(owner, missing)
    return { all, sent, sentBytes }
  }

  /** A blob of the store, asked for again when it came damaged; the store gives up what is not what it should be. */
  async function fetchBlob(ref: BlobRef, signal: AbortSignal): Promise<Buffer> {
    try {
      return await blobs.read(ref, signal).catch(async (error: unknown) => {
        if (!(error instanceof BlobDamagedError)) throw error
        return await blobs.read(ref, signal) // it may have been damaged on its way
      })
    } catch (error) {
      if (error instanceof BlobDamagedError) await blobs.delete(ref, signal)
      if (error instanceof BlobDamagedError || error instanceof BlobMissingError) await uses.lost(ref.sha256)
      throw error
    }
  }

  async function restore(project: string, signal: AbortSignal): Promise<Restoration> {
    const row = await published(project)
    if (row === null) return 'none'
    const { sha256 } = row.description
    const last = known.get(project)
    const before = await transport.publication(project)
    if (before !== null && last?.sha256 === sha256 && last.publication === before) return 'current'
    const description = transport.decode(project, await fetchBlob(row.description, signal))
    await transport.assemble(project, description, fetchBlob, signal)
    const publication = await transport.publication(project)
    remember(project, { description, sha256, publication })
    return publication === before ? 'current' : 'restored'
  }

  /** What the published row names; null where the store lost it. */
  async function publishedDescription(
    project: string,
    row: PublishedGeneration,
    signal: AbortSignal,
  ): Promise<Description | null> {
    try {
      return transport.decode(project, await fetchBlob(row.description, signal))
    } catch (error) {
      if (error instanceof BlobMissingError || error instanceof BlobDamagedError) return null
      throw error
    }
  }

  /** Sends what is described, and points at it. */
  async function publishDescribed(
    project: string,
    publisher: Publisher | Pick<Publisher, 'node'>,
    described: Described<Description>,
    { publication, summary, signal }: PublishOptions,
  ) {
    const { description } = described
    const ref = blobOf(transport.encode(description))
    const owner = ownerOf(project)
    const readPiece = (sha256: string) => described.readPiece(sha256)
    const { all, ...sent } = await send(owner, { ref, description, readPiece, withSpare: false }, signal)
    const row = { project, generation: description.generation, description: ref, summary, publisher }
    const isPublished = await db.transaction(async tx => {
      if (!(await pointAt(tx, row))) return false
      await uses.keepOnly(tx, owner, all)
      return true
    })
    if (isPublished) remember(project, { description, sha256: ref.sha256, publication })
    return isPublished ? { blobs: all.length, ...sent } : null
  }

  /** Whether the copy of this machine is the one that all nodes answer from, or one before it. */
  async function isPublishedForAll(project: string, row: PublishedGeneration, signal: AbortSignal): Promise<boolean> {
    const last = known.get(project)
    const { sha256 } = row.description
    if (last?.sha256 === sha256 && last.publication === (await transport.publication(project))) return true
    await using described = await transport.describe(project, { previous: null, signal })
    if (described === null) return false
    const { description } = described
    return description.generation < row.generation || blobOf(transport.encode(description)).sha256 === sha256
  }

  async function release(project: string, mayBegin: () => boolean, signal: AbortSignal): Promise<boolean> {
    const row = await published(project)
    if (row === null || !(await isPublishedForAll(project, row, signal))) return false
    const description = transport.decode(project, await fetchBlob(row.description, signal))
    const spare = [...transport.sparePiecesOf(description)].map(({ sha256 }) => sha256)
    if (!(await uses.areStored(ownerOf(project), spare))) return false
    signal.throwIfAborted()
    if (!mayBegin()) return false
    await transport.drop(project)
    known.delete(project)
    return true
  }

  /** Whether the store lost what is published, and this machine does not have it. */
  async function isLost(project: string, signal: AbortSignal): Promise<boolean> {
    if ((await transport.publication(project)) !== null) return false
    try {
      await restore(project, signal)
      return false
    } catch (error) {
      if (error instanceof BlobMissingError || error instanceof BlobDamagedError) return true
      throw error
    }
  }

  async function forget(project: string): Promise<void> {
    known.delete(project)
    await db.transaction(async tx => {
      await removePublished(tx, project)
      await uses.keepOnly(tx, ownerOf(project), [])
    })
  }

  return {
    published,

    projectsWith: repository => projectsWith(db, repository),

    async publish(project, publisher, { summary = null, signal }) {
      const publication = await transport.publication(project)
      const previous = known.get(project)?.description ?? null
      await using described = await transport.describe(project, { previous, signal })
      if (described === null) {
        throw new FaultlineError('INDEX_NOT_READY', `Project ${project} has no index on this node.`)
      }
      const { generation } = described.description
      // a run that is over sends nothing
      if (!(await isRunning(db, publisher))) return { outcome: 'fenced', generation }
      const sent = await publishDescribed(project, publisher, described, { publication, summary, signal })
      if (sent !== null) return { outcome: 'published', generation, ...sent }
      return { outcome: (await isRunning(db, publisher)) ? 'behind' : 'fenced', generation }
    },

    async takeOver(project, node, signal) {
      const publication = await transport.publication(project)
      await using described = await transport.describe(project, { previous: null, signal })
      if (described === null) return 'none'
      const sent = await publishDescribed(project, { node }, described, { publication, summary: null, signal })
      return sent === null ? 'behind' : 'published'
    },

    async difference(project, signal) {
      const row = await published(project)
      await using described = await transport.describe(project, { previous: null, signal })
      if (row === null && described === null) return null
      if (row === null || described === null) return 'only one side has an index'
      const { description } = described
      const ref = blobOf(transport.encode(description))
      if (ref.sha256 !== row.description.sha256) return `generation ${row.generation} is another one`
      let missing = 0
      await sideBySide([ref, ...transport.piecesOf(description)], PUTS_AT_ONCE, async piece => {
        if (!(await blobs.has(piece, signal))) missing++
      })
      return missing === 0 ? null : `the object store lacks ${missing} pieces of generation ${row.generation}`
    },

    restore: (project, signal) => turns.restore(project, () => restore(project, signal), signal),
    hold: project => turns.hold(project),

    async mend(project, signal) {
      const row = await published(project)
      await using described = await transport.describe(project, { previous: null, signal })
      if (row === null || described === null) return false
      const own = described.description
      const kept = await publishedDescription(project, row, signal)
      // what was described file by file, each as the release before or this one does it, is described so nowhere else
      const wanted = kept !== null && transport.isSame(kept, own) ? [kept] : []
      const readPiece = (sha256: string) => described.readPiece(sha256)
      for (const description of [...wanted, own, ...transport.ofOlderReleases(own)]) {
        const ref = blobOf(transport.encode(description))
        if (ref.sha256 !== row.description.sha256) continue
        await send(ownerOf(project), { ref, description, readPiece, withSpare: true }, signal)
        return true
      }
      return false
    },

    release: (project, begin, signal) =>
      turns.release(project, mayBegin => release(project, () => mayBegin() && begin(), signal)),

    async giveUpLost(project, signal) {
      for (let looks = 1; await isLost(project, signal); looks++) {
        if (looks === LOOKS_FOR_LOST) {
          await forget(project)
          return true
        }
        await delay(LOOK_FOR_LOST_MS, undefined, { signal })
      }
      return false
    },

    forget,
  }
}
