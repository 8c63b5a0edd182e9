import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { FaultlineError } from '../../core/errors.ts'
import { readTar, type TarEntry, type TarLimits } from './read-tar.ts'

/** What is known of an archive before any of it is used. */
interface ArchiveKind {
  /** `repository`: it holds a git directory. */
  kind: 'repository' | 'tree'
  /** What stands before every name that counts: that of the git directory, or of the one folder that holds all. */
  prefix: string
}

/**
 * Reads an archive from its beginning, as often as it is wanted.
 *
 * @throws {FaultlineError} As `readTar`.
 */
export async function withArchive<T>(
  file: string,
  { signal, ...limits }: TarLimits & { signal: AbortSignal },
  use: (entries: AsyncGenerator<TarEntry>) => Promise<T>,
): Promise<T> {
  const packed = createReadStream(file, { signal })
  const plain = packed.pipe(createGunzip())
  packed.on('error', error => plain.destroy(error))
  try {
    return await use(readTar(plain as AsyncIterable<Buffer>, limits))
  } catch (error) {
    signal.throwIfAborted()
    const { code = '' } = error as NodeJS.ErrnoException
    if (error instanceof FaultlineError || !String(code).startsWith('Z_')) throw error
    throw new FaultlineError(
      'REPOSITORY_CORRUPT',
      'The archive is damaged: it cannot be unpacked to its end.',
      'Upload it again; "gzip -t tree.tar.gz" says whether it is whole.',
      { cause: error },
    )
  } finally {
    packed.destroy()
    plain.destroy()
  }
}

/** Where a git directory begins: its `HEAD`, at the root, in one folder, or in the `.git` of either. */
const HEAD = /^(?:[^/]+\/){0,2}HEAD$/
const MAX_HEADS = 100

function gitPrefix(heads: ReadonlySet<string>, folders: ReadonlySet<string>): string | null {
  const prefixes = [...heads].map(head => head.slice(0, -'HEAD'.length))
  const isGitDir = (prefix: string): boolean => folders.has(`${prefix}objects`) && folders.has(`${prefix}refs`)
  const isPlausible = (prefix: string): boolean => prefix.split('/').length <= 2 || prefix.endsWith('/.git/')
  return prefixes.filter(isPlausible).find(isGitDir) ?? null
}

const parentOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')))

/** Notes `objects` and `refs` with what stands before them; folders may have no entry of their own. */
function noteGitFolder(folder: string, folders: Set<string>): void {
  const found = /^(?:[^/]+\/){0,2}(?:objects|refs)(?=\/|$)/.exec(folder)?.[0]
  if (found !== undefined && folders.size < 4 * MAX_HEADS) folders.add(found)
}

/** The one folder that all entries lie in; null where there is none, and for a `.git`, which is no such folder. */
function onlyFolder(top: string | null | undefined, { name, type }: TarEntry): string | null {
  const slash = name.indexOf('/')
  const folder = slash < 0 ? name : name.slice(0, slash)
  if ((slash < 0 && type !== 'folder') || folder === '.git') return null
  return top === undefined || top === folder ? folder : null
}

/** Reads all headers of an archive, which refuses a hostile one as a whole, and says what it holds. */
export async function inspectArchive(entries: AsyncGenerator<TarEntry>): Promise<ArchiveKind> {
  const heads = new Set<string>()
  const folders = new Set<string>()
  let top: string | null | undefined
  for await (const entry of entries) {
    const { name, type } = entry
    if (name === '') continue
    top = onlyFolder(top, entry)
    if (type === 'file' && HEAD.test(name) && heads.size < MAX_HEADS) heads.add(name)
    noteGitFolder(type === 'folder' ? name : parentOf(name), folders)
  }
  const prefix = gitPrefix(heads, folders)
  if (prefix !== null) return { kind: 'repository', prefix }
  return { kind: 'tree', prefix: typeof top === 'string' ? `${top}/` : '' }
}
