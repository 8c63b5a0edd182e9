import type { Chunk } from '../../core/chunk.ts'
import type { MappedFrame } from '../../core/frame.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { Outline } from '../../core/outline.ts'
import type { SourceOf } from './file-texts.ts'
import type { CodeReader } from './code-reader.ts'
import type { IndexedFile } from './file-index.ts'

/** Access to other commits than the indexed one. Everything is read locally; nothing touches the network. */
export interface CommitReader {
  /** The commit that a branch, tag or (short) commit id names, or null when the clone has none. */
  resolveCommit: (repository: string, ref: string) => Promise<string | null>
  /** The files of a commit that the indexer would take by their names. */
  listFiles: (
    repository: string,
    commit: string,
    choice: { include: string[]; exclude: string[] },
  ) => Promise<Array<{ path: string; oid: string }>>
  /** Text of a file at a commit; null when it was not there, or is not text. */
  readAtCommit: (repository: string, commit: string, path: string) => Promise<string | null>
  /**
   * Compiled files and source maps that a commit tracks, by the rule of `isOutputFile`; none where the clone cannot be
   * read. Returns the same array for the same commit.
   */
  listOutputs: (repository: string, commit: string) => Promise<readonly IndexedFile[]>
  /** The names of the clone's tags. */
  listTags: (repository: string) => Promise<readonly string[]>
  /** The outline that the indexer would make of that text. */
  outlineText: (text: string, path: string) => Outline | null
  /** The chunks that the indexer would cut that text into. */
  chunkText: (text: string, file: { repository: string; path: string }) => Chunk[]
}

/** A project as it was at a ref: its list of files and how to read them. */
export interface CodeAtCommit {
  reader: Pick<CodeReader, 'fileText' | 'outline' | 'chunksOf'>
  /** The commit by repository. A repository that lacks the ref is left out and read as it is indexed. */
  commits: ReadonlyMap<string, string>
  frames: MappedFrame[]
  /** Whether a file of the index is the same at the ref. */
  isSame: (repository: string, path: string) => boolean
}

const MAX_READ = 1000 // files that differ from the index; mapping asks for few

/**
 * The commit that a name means in each repository that has it.
 *
 * @throws {FaultlineError} REF_NOT_FOUND: none has it.
 */
export async function commitsOf(
  ref: string,
  { manifest }: CodeReader,
  { resolveCommit }: CommitReader,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { repository } of manifest.repositories) {
    const commit = await resolveCommit(repository, ref)
    if (commit !== null) found.set(repository, commit)
  }
  if (found.size > 0) return found
  throw new FaultlineError(
    'REF_NOT_FOUND',
    `No repository of the project has a commit, tag or branch named ${JSON.stringify(ref)} in its clone.`,
    'POST /clone with this ref fetches it; leave ref out to read the indexed commit.',
  )
}

async function listFiles(
  commits: ReadonlyMap<string, string>,
  { manifest, files }: CodeReader,
  reader: CommitReader,
): Promise<IndexedFile[]> {
  const lists = manifest.repositories.map(async ({ repository, include, exclude }) => {
    const commit = commits.get(repository)
    if (commit === undefined) return files().filter(file => file.repository === repository)
    return (await reader.listFiles(repository, commit, { include, exclude })).map(({ path, oid }) => ({
      repository,
      path,
      oid,
    }))
  })
  return (await Promise.all(lists)).flat()
}

const keyOf = (repository: string, path: string): string => JSON.stringify([repository, path])

function overlay(
  texts: ReadonlyMap<string, string | null>,
  isSame: CodeAtCommit['isSame'],
  index: CodeReader,
  { outlineText, chunkText }: CommitReader,
): CodeAtCommit['reader'] {
  const outlines = new Map<string, Outline | null>()
  const textAt = (repository: string, path: string): string | null => texts.get(keyOf(repository, path)) ?? null
  return {
    fileText: (repository, path) =>
      isSame(repository, path) ? index.fileText(repository, path) : textAt(repository, path),
    outline(repository, path) {
      if (isSame(repository, path)) return index.outline(repository, path)
      const text = textAt(repository, path)
      const key = keyOf(repository, path)
      if (text === null) return null
      const outline = outlines.get(key) ?? outlineText(text, path)
      outlines.set(key, outline)
      return outline
    },
    chunksOf(repository, path) {
      if (isSame(repository, path)) return index.chunksOf(repository, path)
      const text = textAt(repository, path)
      return text === null ? [] : chunkText(text, { repository, path })
    },
  }
}

/**
 * The project as it was at `ref`: its own list of files, and their texts. Files that did not change are read from the
 * index, the others from the object database (about 10 ms a file in a large clone).
 *
 * @param map - Maps the frames against a list of files. It is called again whenever it asked for texts that were not
 * read yet.
 * @throws {FaultlineError} REF_NOT_FOUND when no repository of the project has it.
 */
export async function codeAtCommit(
  ref: string,
  map: (files: readonly IndexedFile[], sourceOf: SourceOf) => MappedFrame[],
  index: CodeReader,
  reader: CommitReader,
): Promise<CodeAtCommit> {
  const commits = await commitsOf(ref, index, reader)
  const files = await listFiles(commits, index, reader)
  const indexed = new Map(index.files().map(file => [keyOf(file.repository, file.path), file.oid]))
  const listed = new Map(files.map(file => [keyOf(file.repository, file.path), file.oid]))
  const isSame = (repository: string, path: string): boolean => {
    const key = keyOf(repository, path)
    return !commits.has(repository) || (indexed.get(key) !== undefined && indexed.get(key) === listed.get(key))
  }
  const texts = new Map<string, string | null>()
  for (;;) {
    const wanted = new Map<string, { repository: string; path: string }>()
    const frames = map([...files], (repository, path) => {
      // a new list each time: what is remembered of the last one lacks texts
      if (isSame(repository, path)) return index.fileText(repository, path)
      const key = keyOf(repository, path)
      const text = texts.get(key)
      if (text === undefined && listed.has(key)) wanted.set(key, { repository, path })
      return text ?? null
    })
    if (wanted.size === 0 || texts.size + wanted.size > MAX_READ) {
      return { commits, frames, isSame, reader: overlay(texts, isSame, index, reader) }
    }
    for (const [key, { repository, path }] of wanted) {
      texts.set(key, await reader.readAtCommit(repository, commits.get(repository) ?? '', path))
    }
  }
}
