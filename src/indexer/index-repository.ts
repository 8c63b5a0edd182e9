import { FaultlineError } from '../core/errors.ts'
import {
  commitIndexed,
  isSameEmbedder,
  LARGE_CHUNKS,
  type IndexedRepository,
  type IndexResult,
  type SkipReason,
  type UncommittedChanges,
} from '../core/project.ts'
import type { PublishedState } from '../vecstore/published-state.ts'
import type { Store } from '../vecstore/store.ts'
import type { GenerationBuilder } from '../vecstore/generation-builder.ts'
import type { VectorBuild } from '../vecstore/vectors/vector-build.ts'
import type { CountedRows } from '../vecstore/catalogue/row-tokens.ts'
import { addRepository, type ObjectReader } from './add-repository.ts'
import type { ContentHelper } from './content-queue.ts'
import { countRows, HelperThread } from './helper-thread.ts'
import type { ContentTools } from './make-contents.ts'
import { embedChunks, expectedGraphMs, expectedMs, type Embedding } from './embed-chunks.ts'
import { FileWriter } from './file-writer.ts'
import { selectFiles, type Selection, type TrackedFile } from './filter.ts'
import { PhaseClock } from './phase-clock.ts'
import { projectToShare } from './shared-index.ts'
import { throttled, type IndexProgress } from './throttle.ts'

/** Which commit is to be indexed for which project, and which of its files. */
export interface IndexRequest {
  projectName: string
  repository: {
    repository: string
    gitDir: string
    url: string
    branch: string | null
    commit: string
    uncommitted?: UncommittedChanges
  }
  include: string[]
  exclude: string[]
}

/** With more than this left to do, what is there is published first: its words, then vectors that are scanned. */
const PUBLISH_EARLY_MS = 300

interface IndexDeps extends ObjectReader, Embedding, ContentTools {
  store: Pick<Store, 'inspect' | 'begin' | 'storedFiles' | 'listProjects' | 'readManifest'>
  /** Starts a thread that shares the work of a large repository. */
  startHelper?: () => ContentHelper
  /** As a helper does it, in this thread. */
  countRowsOf?: (cataloguePath: string) => CountedRows[]
  now?: () => Date
  maxChunks?: number
  publishEarlyMs?: number
}

/**
 * Chunks of one repository: bounds what a hostile one of a few megabytes can cost. Files beyond are counted as
 * `too_many`.
 */
const MAX_CHUNKS = 500_000

interface IndexOptions {
  signal?: AbortSignal
  onProgress?: (progress: IndexProgress) => void
}

type Start = Parameters<Store['begin']>[1]

/** A request with everything that its run needs. */
interface Run extends IndexDeps {
  request: IndexRequest
  maxChunks: number
  publishEarlyMs: number
  published: PublishedState
  selection: Selection
  clock: PhaseClock
  report: (progress: IndexProgress) => void
  signal: AbortSignal | undefined
}

/** Whether new chunks may stand beside the published ones. */
function isSameMaking(published: PublishedState, { chunker }: Pick<IndexDeps, 'chunker'>): boolean {
  return published.kind === 'whole' && published.manifest.chunker === chunker.name
}

/** Chooses what the next generation begins with. */
async function startOf({ published, request, store, chunker }: Run): Promise<Start> {
  if (published.kind !== 'none') return isSameMaking(published, { chunker }) ? 'copy' : 'empty'
  const project = await projectToShare(request, store, chunker.name)
  return project === null ? 'empty' : { project }
}

/** Writes the other repositories' files, cut again from the text that the old index keeps. */
async function carryOver(
  { store, request: { projectName } }: Run,
  others: IndexedRepository[],
  writer: FileWriter,
): Promise<void> {
  for (const { repository } of others) {
    for (const file of await store.storedFiles(projectName, repository)) await writer.write({ ...file, repository })
  }
}

function describedBy({ repository, url, branch, commit, uncommitted, include, exclude }: Description): Description {
  const changes =
    uncommitted === undefined ? {} : { uncommitted: { commit: uncommitted.commit, files: uncommitted.files } }
  return { repository, url, branch, commit, ...changes, include, exclude }
}

function describe({ repository, include, exclude }: IndexRequest): Description {
  return describedBy({ ...repository, include, exclude })
}

function publishedRepositories(published: PublishedState): IndexedRepository[] {
  if (published.kind === 'none') return []
  return published.manifest?.repositories ?? []
}

function chunksBefore(published: PublishedState, repository: string): number {
  if (published.kind !== 'whole') return 0
  return published.manifest.contents.find(content => content.repository === repository)?.chunksTotal ?? 0
}

/**
 * Refuses to build a project anew from an index in which its other repositories cannot be read any more: they would
 * silently be gone.
 */
function requireTexts(published: PublishedState, repository: string, projectName: string): void {
  if (published.kind !== 'unreadable' || (published.manifest !== null && published.why !== 'damaged')) return
  const others = published.repositories?.filter(name => name !== repository)
  if (others?.length === 0) return
  const names = others?.join(', ') ?? ''
  const shownNames = names === '' ? '' : ` (${names})`
  throw new FaultlineError(
    'INDEX_INCOMPATIBLE',
    `The index of project ${projectName} is damaged (${published.detail}); ` +
      `its other repositories${shownNames} cannot be carried over.`,
    `DELETE /projects/${projectName}, then POST /clone each of its repositories again.`,
  )
}

function nothingToIndex(
  { repository: { repository, commit } }: IndexRequest,
  skipped: ReadonlyMap<SkipReason, number>,
): FaultlineError {
  const total = [...skipped.values()].reduce((sum, files) => sum + files, 0)
  const reasons = Array.from(skipped, ([reason, files]) => `${reason} ${files}`).join(', ')
  const cause = total === 0 ? 'it tracks no file' : `${total} skipped (${reasons})`
  return new FaultlineError(
    'NOTHING_TO_INDEX',
    `The repository ${repository} has no file to index at commit ${commit.slice(0, 12)}: ${cause}.`,
    'Check branch, ref, include and exclude.',
  )
}

function mergedCounts(...counts: Array<ReadonlyMap<SkipReason, number>>): Map<SkipReason, number> {
  const sums = new Map<SkipReason, number>()
  for (const [reason, files] of counts.flatMap(map => [...map])) sums.set(reason, (sums.get(reason) ?? 0) + files)
  return sums
}

/**
 * Builds the graph of a project's vectors, where it is large, and publishes all; what takes long, without it first. To
 * scan those of a very large one would fill the memory of each thread that is asked.
 */
async function rank(
  vectors: VectorBuild,
  builder: GenerationBuilder,
  { publishEarlyMs, signal, report }: Run,
): Promise<Awaited<ReturnType<GenerationBuilder['publish']>>> {
  const isScannable = vectors.hasAllVectors && vectors.chunksTotal < LARGE_CHUNKS
  if (isScannable && expectedGraphMs(vectors) > publishEarlyMs) await builder.publish()
  await vectors.finish({ signal, onProgress: (done, total) => report({ phase: 'storing', done, total }) })
  signal?.throwIfAborted()
  if (!vectors.isComplete) {
    throw new Error(`${vectors.pending().length} segments of the index have no vectors although all were made.`)
  }
  return await builder.publish()
}

/** Gives all chunks their vectors, and contents the tokens of their lines where these were left for later. */
async function complete(
  vectors: VectorBuild,
  builder: GenerationBuilder,
  run: Run,
  helper: HelperThread,
): Promise<void> {
  const { clock, signal, report } = run
  const counting = builder.catalogue.hasUncounted ? countRows(builder.cataloguePath, helper, run.countRowsOf) : null
  counting?.catch(() => {}) // it is awaited when the vectors are there
  await clock.measureAsync('embed', () =>
    embedChunks(vectors, run, { signal, onProgress: (done, total) => report({ phase: 'embedding', done, total }) }),
  )
  signal?.throwIfAborted()
  if (counting === null) return
  const counted = await clock.measureAsync('chunk', () => counting)
  await clock.measureAsync('store', () => builder.putRowTokens(counted))
}

async function build(run: Run, from: Start): Promise<IndexResult> {
  const {
    request: {
      projectName,
      repository: { repository, commit },
    },
    published,
    clock,
    signal,
    report,
    now = () => new Date(),
  } = run
  const others = publishedRepositories(published).filter(other => other.repository !== repository)
  if (from === 'empty') requireTexts(published, repository, projectName)
  const total =
    run.selection.candidates.length +
    (from === 'empty' ? others.reduce((sum, other) => sum + other.filesIndexed, 0) : 0)
  let done = 0
  const onWritten = (files: number) => {
    done += files
    report({ phase: 'files', done, total })
  }
  onWritten(0)

  await using builder = await clock.measureAsync('store', () => run.store.begin(projectName, from))
  const { catalogue } = builder
  const writer = new FileWriter({ ...run, builder, onWritten })
  if (from === 'empty') await carryOver(run, others, writer)
  const carried = writer.chunksWritten
  await using helper = new HelperThread(run.startHelper)
  const added = await addRepository({
    ...run,
    startHelper: () => helper.start(),
    repository: run.request.repository,
    candidates: run.selection.candidates,
    catalogue,
    writer,
    onKept: onWritten,
  })
  const skipped = mergedCounts(run.selection.skipped, added.skipped)
  const chunksTotal = catalogue.chunksIn(repository)
  if (chunksTotal === 0) throw nothingToIndex(run.request, skipped)

  const filesSkipped = Object.fromEntries(skipped)
  const languages = catalogue.languages(repository)
  const indexed: IndexedRepository = {
    ...describe(run.request),
    indexedAt: now().toISOString(),
    filesIndexed: added.filesIndexed,
    filesSkipped,
  }
  signal?.throwIfAborted()
  const vectors = await clock.measureAsync('store', () =>
    builder.finishText({ embedding: run.embedder, chunker: run.chunker.name, repositories: [...others, indexed] }),
  )
  if (expectedMs(vectors, run) > run.publishEarlyMs) await clock.measureAsync('store', () => builder.publish())
  await complete(vectors, builder, run, helper)
  await helper.end()
  const manifest = await clock.measureAsync('store', () => rank(vectors, builder, run))
  const { provider, model, dimensions } = manifest.embedding
  return {
    filesIndexed: added.filesIndexed,
    filesSkipped,
    chunksAdded: published.kind === 'none' ? chunksTotal : writer.chunksWritten - carried,
    chunksRemoved: from === 'copy' ? added.chunksRetired : chunksBefore(published, repository),
    chunksTotal,
    languages,
    embedding: { provider, model, dimensions },
    commit,
    generation: manifest.generation,
    timingsMs: clock.timings(),
  }
}

/** Whether new vectors may stand beside the published ones. */
function isSameSpace(published: PublishedState, { embedder, learned }: Embedding): boolean {
  if (published.kind !== 'whole') return false
  const { embedding } = published.manifest
  if (learned !== undefined && embedding.model === learned.model) return true
  return (
    isSameEmbedder(embedding, embedder) &&
    embedding.model === embedder.model &&
    (embedder.fitId === undefined || embedder.fitId === embedding.fitId)
  )
}

/** A result without any work when the published generation holds exactly this already, else null. */
function unchangedResult(request: IndexRequest, published: PublishedState, deps: IndexDeps): IndexResult | null {
  if (
    published.kind !== 'whole' ||
    !published.vectorsWhole ||
    !isSameMaking(published, deps) ||
    !isSameSpace(published, deps)
  ) {
    return null
  }
  const { manifest } = published
  const wanted = describe(request)
  const indexed = manifest.repositories.find(({ repository }) => repository === wanted.repository)
  const content = manifest.contents.find(({ repository }) => repository === wanted.repository)
  if (
    indexed === undefined ||
    content === undefined ||
    JSON.stringify(describedBy(indexed)) !== JSON.stringify(wanted)
  ) {
    return null
  }
  const { provider, model, dimensions } = manifest.embedding
  return {
    filesIndexed: indexed.filesIndexed,
    filesSkipped: indexed.filesSkipped,
    chunksAdded: 0,
    chunksRemoved: 0,
    chunksTotal: content.chunksTotal,
    languages: content.languages,
    embedding: { provider, model, dimensions },
    commit: indexed.commit,
    generation: manifest.generation,
    timingsMs: { read: 0, chunk: 0, embed: 0, store: 0 },
  }
}

async function collect(files: AsyncIterable<TrackedFile>): Promise<TrackedFile[]> {
  const found: TrackedFile[] = []
  for await (const file of files) found.push(file)
  return found
}

/**
 * Publishes a generation that holds what a commit tracks of one repository; the project's other repositories are
 * carried over. Files whose content is in the published generation, or for a new project in that of another one of this
 * repository, keep their chunks and vectors. Where that was built with another chunker or format, everything is cut
 * again, the other repositories from their stored text; with another embedding, everything is embedded again. A
 * generation without the vectors is published first where these will take long, and one whose vectors are scanned
 * before their graph is built. Until one is published the old
 * generation stays, also under a kill.
 *
 * Blocks its thread for most of the time; memory is bounded by the largest file, the text index of 65,000 chunks, and
 * the vectors.
 *
 * @throws {FaultlineError} NOTHING_TO_INDEX, REPOSITORY_TOO_LARGE, DISK_FULL, EMBEDDING_UNAVAILABLE, INDEX_INCOMPATIBLE
 * (other repositories are lost in a damaged index).
 */
export async function indexRepository(
  request: IndexRequest,
  deps: IndexDeps,
  { signal, onProgress = () => {} }: IndexOptions = {},
): Promise<IndexResult> {
  const clock = new PhaseClock(() => performance.now())
  const { projectName, repository } = request
  const published = await clock.measureAsync('store', () => deps.store.inspect(projectName))
  const unchanged = unchangedResult(request, published, deps)
  if (unchanged !== null) return unchanged

  const { maxChunks = MAX_CHUNKS, publishEarlyMs = PUBLISH_EARLY_MS } = deps
  const files = await clock.measureAsync(
    'read',
    async () => await collect(deps.listTree(repository.gitDir, commitIndexed(repository), signal)),
  )
  const selection = clock.measure('read', () => selectFiles(files, request))
  if (selection.candidates.length === 0) throw nothingToIndex(request, selection.skipped)
  const run: Run = {
    ...deps,
    maxChunks,
    publishEarlyMs,
    request,
    published,
    selection,
    clock,
    signal,
    report: throttled(onProgress, () => performance.now()),
  }
  return await build(run, await clock.measureAsync('store', () => startOf(run)))
}

type Description = Pick<
  IndexedRepository,
  'repository' | 'url' | 'branch' | 'commit' | 'uncommitted' | 'include' | 'exclude'
>
