import type { Chunk } from '../core/chunk.ts'
import type { MappedFrame } from '../core/frame.ts'
import { FaultlineError } from '../core/errors.ts'
import type { CodeReader } from './code-reader.ts'

/** Access to other commits than the indexed one. All of it is local; nothing touches the network. */
export interface CommitReader {
  /** The commit that a branch, tag or (short) commit id names, or null when the clone has none. */
  resolveCommit: (repository: string, ref: string) => Promise<string | null>
  /** Text of a file at a commit; null when it was not there, or is not text. */
  readAtCommit: (repository: string, commit: string, path: string) => Promise<string | null>
  /** The rule by which the indexer would cut that text. */
  chunkText: (text: string, file: { repository: string, path: string }) => Chunk[]
}

interface CodeAtCommit {
  reader: Pick<CodeReader, 'fileText' | 'chunksOf'>
  /** By repository. */
  commits: ReadonlyMap<string, string>
}

/**
 * The frames' files as they were at `ref`: files that no frame names stay as they are in the index.
 *
 * @throws {FaultlineError} REF_NOT_FOUND when no repository of the project has it.
 */
export async function codeAtCommit (ref: string, frames: readonly MappedFrame[], index: CodeReader, commits: CommitReader): Promise<CodeAtCommit> {
  const found = new Map<string, string>()
  for (const { repository } of index.manifest.repositories) {
    const commit = await commits.resolveCommit(repository, ref)
    if (commit !== null) found.set(repository, commit)
  }
  if (found.size === 0) {
    throw new FaultlineError('REF_NOT_FOUND', `No repository of the project has a commit, tag or branch named ${JSON.stringify(ref)} in its clone.`,
      'POST /clone with this ref fetches it; leave ref out to read the indexed commit.')
  }
  const texts = await readFiles(frames, found, commits)
  return { commits: found, reader: overlay(texts, index, commits) }
}

async function readFiles (frames: readonly MappedFrame[], commits: ReadonlyMap<string, string>, { readAtCommit }: CommitReader): Promise<Map<string, string | null>> {
  const texts = new Map<string, string | null>()
  for (const { repository, path } of frames) {
    if (repository === null || path === null) continue
    const commit = commits.get(repository)
    const key = keyOf(repository, path)
    if (commit !== undefined && !texts.has(key)) texts.set(key, await readAtCommit(repository, commit, path))
  }
  return texts
}

function overlay (texts: ReadonlyMap<string, string | null>, index: CodeReader, { chunkText }: CommitReader): CodeAtCommit['reader'] {
  return {
    fileText (repository, path) {
      const text = texts.get(keyOf(repository, path))
      return text === undefined ? index.fileText(repository, path) : text
    },
    chunksOf (repository, path) {
      const text = texts.get(keyOf(repository, path))
      if (text === undefined) return index.chunksOf(repository, path)
      return text === null ? [] : chunkText(text, { repository, path })
    },
  }
}

const keyOf = (repository: string, path: string): string => JSON.stringify([repository, path])
