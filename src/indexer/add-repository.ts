import type { SkipReason } from '../core/project.ts'
import type { listTree, readBlobs } from '../repos/objects.ts'
import type { CatalogueWriter } from '../vecstore/catalogue-writer.ts'
import type { FileWriter } from './file-writer.ts'
import { count, readCandidate, type Candidate } from './filter.ts'
import type { PhaseClock } from './phase-clock.ts'

/** Reads a clone's object database. */
export interface ObjectReader {
  listTree: typeof listTree
  readBlobs: typeof readBlobs
}

interface RepositoryFiles {
  repository: { repository: string, gitDir: string }
  candidates: readonly Candidate[]
  catalogue: CatalogueWriter
  writer: FileWriter
  readBlobs: ObjectReader['readBlobs']
  clock: PhaseClock
  /** Called with the number of files that need no work. */
  onKept: (files: number) => void
  signal?: AbortSignal
}

interface AddedRepository {
  filesIndexed: number
  /** Candidates whose content spoke against them. */
  skipped: Map<SkipReason, number>
  chunksRetired: number
}

/** Makes the catalogue's files of a repository those of the candidates: keeps what is the same, takes what a known blob gives, reads the rest. */
export async function addRepository (files: RepositoryFiles): Promise<AddedRepository> {
  const { repository: { repository }, candidates, catalogue, writer, onKept } = files
  const before = catalogue.filesOf(repository)
  const isKept = ({ path, oid, language }: Candidate) => {
    const file = before.get(path)
    return file !== undefined && file.oid === oid && (language === null || language === file.language)
  }
  const kept = new Set(candidates.filter(isKept).map(({ path }) => path))
  let chunksRetired = 0
  for (const [path, { chunks }] of before) {
    if (kept.has(path)) continue
    catalogue.retire(repository, path)
    chunksRetired += chunks
  }
  onKept(kept.size)

  const groups = groupByContent(candidates.filter(({ path }) => !kept.has(path)))
  const unknown = groups.filter(group => !writeFromKnown(group, files))
  const skipped = await readAndWrite(unknown, files)
  await writer.flush()
  const added = groups.reduce((sum, { members }) => sum + members.length, 0) - [...skipped.values()].reduce((sum, number) => sum + number, 0)
  return { filesIndexed: kept.size + added, skipped, chunksRetired }
}

/** Files with one content and language: read, cut and embedded once. */
interface Group { oid: string, language: string | null, members: Candidate[] }

function groupByContent (candidates: Candidate[]): Group[] {
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

/** @returns Whether the catalogue knew the content. */
function writeFromKnown ({ oid, language, members }: Group, { repository: { repository }, catalogue, writer }: RepositoryFiles): boolean {
  const known = language === null ? null : catalogue.knownBlob(oid, language)
  if (known === null || language === null) return false
  for (const { path } of members) writer.writeKnown({ repository, path, language, oid }, known)
  return true
}

async function readAndWrite (groups: Group[], { repository: { repository, gitDir }, catalogue, writer, readBlobs, clock, signal, onKept }: RepositoryFiles): Promise<Map<SkipReason, number>> {
  const skipped = new Map<SkipReason, number>()
  const copies: Array<{ oid: string, language: string, path: string }> = []
  let next = 0
  for await (const { oid, bytes } of clock.measureEach('read', readBlobs(gitDir, groups.map(group => group.oid), signal))) {
    const group = groups[next++]
    const [first, ...rest] = group?.members ?? []
    if (group?.oid !== oid || first === undefined) throw new Error(`git answered the blob ${oid} out of turn.`)
    const content = clock.measure('read', () => readCandidate(bytes, group.language))
    if (typeof content === 'string') {
      count(skipped, content, group.members.length)
      onKept(group.members.length)
      continue
    }
    const { text, language } = content
    await writer.write({ repository, path: first.path, language, oid, text })
    for (const { path } of rest) copies.push({ oid, language, path })
  }
  if (next !== groups.length) throw new Error(`git answered ${next} of ${groups.length} blobs.`)
  await writer.flush()
  for (const { oid, language, path } of copies) {
    const known = catalogue.knownBlob(oid, language)
    if (known === null) throw new Error(`The blob ${oid} was not written.`)
    writer.writeKnown({ repository, path, language, oid }, known)
  }
  return skipped
}
