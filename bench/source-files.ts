import { readCandidate, selectFiles } from '../src/indexer/filter.ts'
import { listTree, readBlobs, type TreeEntry } from '../src/repos/objects/objects.ts'

interface SourceFile {
  path: string
  language: string
  text: string
}

/** The files of a commit that a clone of it would index. */
export async function sourceFiles(gitDir: string, commit: string, include: string[] = []): Promise<SourceFile[]> {
  const entries: TreeEntry[] = []
  for await (const entry of listTree(gitDir, commit)) entries.push(entry)
  const { candidates } = selectFiles(entries, { include, exclude: [] })
  const files: SourceFile[] = []
  let next = 0
  for await (const { bytes } of readBlobs(
    gitDir,
    candidates.map(({ oid }) => oid),
  )) {
    const { path = '', language = null } = candidates[next++] ?? {}
    const read = readCandidate(bytes, language)
    if (typeof read !== 'string') files.push({ path, ...read })
  }
  return files
}
