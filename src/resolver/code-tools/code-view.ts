import { threadCaches } from '../../core/cache-budget.ts'
import type { PinnedCommit } from '../../core/code-tools.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { Outline } from '../../core/outline.ts'
import { commitIndexed, uncommittedFiles, type IndexedRepository } from '../../core/project.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'
import { commitsOf, type CommitReader } from '../code/code-at-commit.ts'
import type { CodeReader } from '../code/code-reader.ts'
import type { IndexedFile } from '../code/file-index.ts'

/** A project at the commits of a pin: files that are as in the index are read from it, others from the clone. */
export interface CodeView {
  commits: readonly PinnedCommit[]
  /** The files of one list; the same array while nothing differs from the index. */
  files: readonly IndexedFile[]
  /** Files that the index lacks, or has otherwise. */
  changed: readonly IndexedFile[]
  /** Whether a file is there and reads as in the index. */
  isIndexed: (repository: string, path: string) => boolean
  text: (repository: string, path: string) => Promise<string | null>
  outline: (repository: string, path: string) => Promise<Outline | null>
}

const ENTRY_BYTES = 200
/** Lists of files by commit, as a page after the other asks for the same one. */
const listings = new RecentlyUsed<string, readonly IndexedFile[]>(
  threadCaches,
  files => ENTRY_BYTES * (files.length + 1),
)

const keyOf = (repository: string, path: string): string => JSON.stringify([repository, path])

/**
 * The commits that a project is read at from now on, whatever is indexed meanwhile.
 *
 * @param ref - Commit, tag or branch; a repository that lacks it is read as it is indexed.
 * @throws {FaultlineError} REF_NOT_FOUND: none of its repositories has it.
 */
export async function pinCommits(
  ref: string | undefined,
  reader: CodeReader,
  commits: CommitReader,
): Promise<PinnedCommit[]> {
  const named = ref === undefined ? new Map<string, string>() : await commitsOf(ref, reader, commits)
  return reader.manifest.repositories.map(indexed => {
    const { repository } = indexed
    const at = named.get(repository)
    if (at !== undefined && at !== indexed.commit) return { repository, commit: at, readAt: at }
    const isBare = at !== undefined // a commit that is named is read without what is not committed
    const readAt = isBare ? at : commitIndexed(indexed)
    return {
      repository,
      commit: indexed.commit,
      readAt,
      ...uncommittedFiles(isBare ? undefined : indexed.uncommitted),
    }
  })
}

async function listAt({ repository, include, exclude }: IndexedRepository, commit: string, commits: CommitReader) {
  const key = JSON.stringify([repository, commit, include, exclude])
  const known = listings.find(key)
  if (known !== undefined) return known
  if ((await commits.resolveCommit(repository, commit)) === null) {
    throw new FaultlineError(
      'REF_NOT_FOUND',
      `The clone of "${repository}" does not hold the commit ${commit} any more.`,
      'Ask again without this commit, or POST /clone with it as ref.',
    )
  }
  const listed = (await commits.listFiles(repository, commit, { include, exclude })).map(
    ({ path, oid }): IndexedFile => ({ repository, path, oid }),
  )
  listings.set(key, listed)
  return listed
}

/** A view in which some repositories are read at other commits than the indexed ones. */
function overlay(
  { reader, commits, pinned }: { reader: CodeReader; commits: CommitReader; pinned: readonly PinnedCommit[] },
  listed: ReadonlyMap<string, readonly IndexedFile[]>,
): CodeView {
  const files = pinned.flatMap(
    ({ repository }) => listed.get(repository) ?? reader.files().filter(file => file.repository === repository),
  )
  const indexed = new Map(reader.files().map(file => [keyOf(file.repository, file.path), file.oid]))
  const there = new Map(files.map(file => [keyOf(file.repository, file.path), file]))
  const isIndexed = (repository: string, path: string): boolean => {
    const key = keyOf(repository, path)
    const oid = indexed.get(key)
    return oid !== undefined && there.get(key)?.oid === oid
  }
  const text: CodeView['text'] = async (repository, path) => {
    if (isIndexed(repository, path)) return reader.fileText(repository, path)
    if (!there.has(keyOf(repository, path))) return null
    const at = pinned.find(one => one.repository === repository)?.readAt ?? ''
    return await commits.readAtCommit(repository, at, path)
  }
  return {
    commits: pinned,
    files,
    changed: files.filter(({ repository, path }) => !isIndexed(repository, path)),
    isIndexed,
    text,
    async outline(repository, path) {
      if (isIndexed(repository, path)) return reader.outline(repository, path)
      const read = await text(repository, path)
      return read === null ? null : commits.outlineText(read, path)
    },
  }
}

/**
 * Opens a project at the commits of a pin. What the indexer would not take by its name is in no view.
 *
 * @throws {FaultlineError} REF_NOT_FOUND: a commit is gone.
 */
export async function openView(
  pinned: readonly PinnedCommit[],
  reader: CodeReader,
  commits: CommitReader,
): Promise<CodeView> {
  const listed = new Map<string, readonly IndexedFile[]>()
  for (const indexed of reader.manifest.repositories) {
    const at = pinned.find(({ repository }) => repository === indexed.repository)?.readAt
    if (at === undefined || at === commitIndexed(indexed)) continue
    listed.set(indexed.repository, await listAt(indexed, at, commits))
  }
  if (listed.size > 0) return overlay({ reader, commits, pinned }, listed)
  const has = new Set(reader.files().map(({ repository, path }) => keyOf(repository, path)))
  return {
    commits: pinned,
    files: reader.files(),
    changed: [],
    isIndexed: (repository, path) => has.has(keyOf(repository, path)),
    text: async (repository, path) => reader.fileText(repository, path),
    outline: async (repository, path) => reader.outline(repository, path),
  }
}
