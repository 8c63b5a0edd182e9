import type { SkipReason } from '../core/project.ts'
import type { listTree, readBlobs } from '../repos/objects/objects.ts'
import type { CatalogueWriter } from '../vecstore/catalogue/catalogue-writer.ts'
import type { FileWriter } from './file-writer.ts'
import { count, readCandidate, type Candidate } from './filter.ts'
import { ContentQueue, type ContentHelper } from './content-queue.ts'
import type { SourceText } from './make-contents.ts'
import type { PhaseClock } from './phase-clock.ts'

/** Reads a clone's object database. */
export interface ObjectReader {
  listTree: typeof listTree
  readBlobs: typeof readBlobs
}

interface RepositoryFiles {
  repository: { repository: string; gitDir: string }
  candidates: readonly Candidate[]
  catalogue: CatalogueWriter
  writer: FileWriter
  readBlobs: ObjectReader['readBlobs']
  clock: PhaseClock
  /** Chunks that the repository may have; files beyond are counted as `too_many`. */
  maxChunks: number
  /** Called with the number of files that need no work. */
  onKept: (files: number) => void
  signal?: AbortSignal
  /** A thread that shares the work of a large repository; null where there is none. The caller ends it. */
  startHelper?: () => ContentHelper | null
}

/** Below it the work is done before a thread has started. */
const MIN_FILES_FOR_HELPER = 250

/** A file that was read, with the paths of those of the same content. */
interface ReadFile extends SourceText {
  repository: string
  oid: string
  copies: string[]
}

interface AddedRepository {
  filesIndexed: number
  /** Candidates whose content spoke against them, or for whose chunks there was no room. */
  skipped: Map<SkipReason, number>
  chunksRetired: number
}

function groupByContent(candidates: Candidate[]): Group[] {
  const groups = new Map<string, Group>()
  for (const candidate of candidates) {
    const { oid, language } = candidate
    const key = `${oid} ${language ?? ''}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { oid, language, members: [candidate] })
    else group.members.push(candidate)
  }
  return [...groups.values()]
}

/** @param chunks - What `FileWriter` answered for one file, or for several of one content that it did not take. */
function take(chunks: number | null, tally: Tally, onKept: RepositoryFiles['onKept'], files = 1): void {
  if (chunks !== null) {
    tally.room -= chunks
    return
  }
  count(tally.skipped, 'too_many', files)
  onKept(files)
}

/** @returns Whether the catalogue knew the content. */
async function writeFromKnown(
  { oid, language, members }: Group,
  { repository: { repository }, catalogue, writer, onKept }: RepositoryFiles,
  tally: Tally,
): Promise<boolean> {
  const known = language === null ? null : catalogue.knownBlob(oid, language)
  if (known === null || language === null) return false
  for (const { path } of members) {
    take(await writer.writeKnown({ repository, path, language, oid }, known, tally.room), tally, onKept)
  }
  return true
}

async function readAndWrite(groups: Group[], files: RepositoryFiles, tally: Tally): Promise<void> {
  const {
    repository: { repository, gitDir },
    catalogue,
    writer,
    readBlobs,
    clock,
    signal,
    onKept,
    startHelper = () => null,
  } = files
  const copies: Array<{ oid: string; language: string; path: string }> = []
  const helper = groups.length < MIN_FILES_FOR_HELPER ? null : startHelper()
  const countsLater = helper !== null
  const queue = new ContentQueue<ReadFile>({
    helper,
    makeHere: source => writer.make(source, { countsLater }),
    async write({ copies: others, ...file }, made) {
      const { oid, language } = file
      const chunks = await writer.writeMade(file, made, tally.room)
      take(chunks, tally, onKept, chunks === null ? 1 + others.length : 1)
      if (chunks !== null) copies.push(...others.map(path => ({ oid, language, path })))
    },
  })
  let next = 0
  for await (const { oid, bytes } of clock.measureEach(
    'read',
    readBlobs(
      gitDir,
      groups.map(group => group.oid),
      signal,
    ),
  )) {
    const group = groups[next++]
    const [first, ...rest] = group?.members ?? []
    if (group?.oid !== oid || first === undefined) throw new Error(`git answered the blob ${oid} out of turn.`)
    const content = clock.measure('read', () => readCandidate(bytes, group.language))
    if (typeof content === 'string') {
      count(tally.skipped, content, group.members.length)
      onKept(group.members.length)
      continue
    }
    await queue.add({ repository, path: first.path, oid, ...content, copies: rest.map(({ path }) => path) })
  }
  await queue.finish()
  if (next !== groups.length) throw new Error(`git answered ${next} of ${groups.length} blobs.`)
  for (const { oid, language, path } of copies) {
    const known = catalogue.knownBlob(oid, language)
    if (known === null) throw new Error(`The blob ${oid} was not written.`)
    take(await writer.writeKnown({ repository, path, language, oid }, known, tally.room), tally, onKept)
  }
}

/**
 * Makes the catalogue's files of a repository those of the candidates: keeps what is the same, takes what a known blob
 * gives, reads the rest.
 */
export async function addRepository(files: RepositoryFiles): Promise<AddedRepository> {
  const {
    repository: { repository },
    candidates,
    catalogue,
    maxChunks,
    onKept,
  } = files
  const before = catalogue.filesOf(repository)
  const isKept = ({ path, oid, language }: Candidate) => {
    const file = before.get(path)
    return file !== undefined && file.oid === oid && (language === null || language === file.language)
  }
  const kept = new Set(candidates.filter(isKept).map(({ path }) => path))
  let chunksRetired = 0
  let chunksKept = 0
  for (const [path, { chunks }] of before) {
    if (kept.has(path)) chunksKept += chunks
    else {
      catalogue.retire(repository, path)
      chunksRetired += chunks
    }
  }
  onKept(kept.size)

  const groups = groupByContent(candidates.filter(({ path }) => !kept.has(path)))
  const tally: Tally = { room: maxChunks - chunksKept, skipped: new Map() }
  const unknown: Group[] = []
  for (const group of groups) if (!(await writeFromKnown(group, files, tally))) unknown.push(group)
  await readAndWrite(unknown, files, tally)
  const { skipped } = tally
  const added =
    groups.reduce((sum, { members }) => sum + members.length, 0) -
    [...skipped.values()].reduce((sum, number) => sum + number, 0)
  return { filesIndexed: kept.size + added, skipped, chunksRetired }
}

/** Files with one content and language: read and cut once. */
interface Group {
  oid: string
  language: string | null
  members: Candidate[]
}

/** What is left of the room for chunks, and what was left out. */
interface Tally {
  room: number
  skipped: Map<SkipReason, number>
}
