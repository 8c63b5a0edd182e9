import type { SourceOf } from '../code/file-texts.ts'
import { mayBeCompiled } from './compiled-output.ts'
import { fileIndexOf, type FileIndex, type IndexedFile } from '../code/file-index.ts'
import { MAX_MAP_BYTES } from './source-map.ts'

/**
 * Compiled files and source maps that a commit tracks. The index leaves most of them out, so no search finds them; they
 * only serve to find where a compiled file comes from.
 */
export interface Outputs {
  /** By their names as compiled files: a map is listed under the name of its compiled file. */
  compiled: () => FileIndex
  /** Every compiled file and map by its path. */
  tracked: () => FileIndex
  text: SourceOf
}

/** Local access to what a commit tracks. */
export interface OutputReader {
  /** The tracked files for which `isOutputFile` holds; the same array for the same commit. */
  list: (repository: string) => Promise<readonly IndexedFile[]>
  /** Null when it is not there, or is not text. */
  read: (repository: string, path: string) => Promise<string | null>
}

const MAX_READ = 40
const MAX_CHARS = 32 * 1_048_576
const MAP = /\.map$/i
const NOTHING = fileIndexOf([])

/** The outputs of a project that tracks none. */
export const NO_OUTPUTS: Outputs = { compiled: () => NOTHING, tracked: () => NOTHING, text: () => null }

/** Whether a tracked file is a script or the source map of one, of a size that is read. */
export const isOutputFile = (path: string, bytes: number | null): boolean =>
  mayBeCompiled(path.replace(MAP, '')) &&
  bytes !== null &&
  bytes <= MAX_MAP_BYTES &&
  !/(?:^|\/)node_modules\//.test(path)

const cache = new WeakMap<readonly IndexedFile[], readonly IndexedFile[]>()

function compiledOf(files: readonly IndexedFile[]): IndexedFile[] {
  const found = new Map<string, IndexedFile>()
  for (const { repository, path } of files) {
    const script = path.replace(MAP, '')
    found.set(JSON.stringify([repository, script]), { repository, path: script })
  }
  return [...found.values()]
}

async function listOutputs(
  repositories: readonly string[],
  { list }: OutputReader,
): Promise<Pick<Outputs, 'compiled' | 'tracked'>> {
  const lists = await Promise.all(repositories.map(list))
  const [only = []] = lists
  const files = lists.length === 1 ? only : lists.flat()
  const compiled = cache.get(files) ?? compiledOf(files)
  cache.set(files, compiled)
  return { tracked: () => fileIndexOf(files), compiled: () => fileIndexOf(compiled) }
}

/**
 * Runs quick work that wants what compiled files say, again and again until everything that it asked for was read. Most
 * traces ask for nothing; then nothing is listed or read.
 */
export async function withOutputs<T>(
  run: (outputs: Outputs) => T | Promise<T>,
  repositories: readonly string[],
  reader: OutputReader,
): Promise<T> {
  const texts = new Map<string, string | null>()
  let listed: Pick<Outputs, 'compiled' | 'tracked'> | null = null
  let chars = 0
  for (;;) {
    let isListWanted = false
    const wanted = new Map<string, { repository: string; path: string }>()
    const known = listed
    const unlisted = () => {
      isListWanted = true
      return NOTHING
    }
    const result = await run({
      compiled: known?.compiled ?? unlisted,
      tracked: known?.tracked ?? unlisted,
      text(repository, path) {
        const key = JSON.stringify([repository, path])
        const text = texts.get(key)
        if (text === undefined) wanted.set(key, { repository, path })
        return text ?? null
      },
    })
    if (!isListWanted && wanted.size === 0) return result
    if (isListWanted) listed = await listOutputs(repositories, reader)
    for (const [key, { repository, path }] of wanted) {
      const text = texts.size >= MAX_READ || chars >= MAX_CHARS ? null : await reader.read(repository, path)
      chars += text?.length ?? 0
      texts.set(key, text)
    }
  }
}
