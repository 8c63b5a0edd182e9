import { FaultlineError } from '../../core/errors.ts'
import { noteDamage } from '../clone/damage.ts'
import { startGit, type RunningGit } from '../git/git-process.ts'

const MAX_BLOB_BYTES = 64 * 1_048_576
const MAX_PATH_BYTES = 65_536
const OIDS_PER_WRITE = 500
/** A few trees that name each other can list billions of files. */
const MAX_ENTRIES = 200_000
const MAX_TREE_PATH_BYTES = 64 * 1_048_576

/** One file of a commit's tree. */
export interface TreeEntry {
  path: string
  /** `100644`, `100755`, `120000` (symbolic link) or `160000` (submodule). */
  mode: string
  type: 'blob' | 'commit'
  oid: string
  /** Size in bytes; null for a submodule. */
  size: number | null
}

function corrupt(reason: string): FaultlineError {
  return new FaultlineError(
    'REPOSITORY_CORRUPT',
    `The server's clone cannot be read: ${reason}.`,
    'POST /clone the repository again: it is then fetched anew.',
  )
}

async function requireSuccess(git: RunningGit, signal: AbortSignal | undefined, fault: unknown): Promise<void> {
  const { exitCode } = await git.ended
  signal?.throwIfAborted()
  if (fault !== undefined) throw fault
  if (exitCode !== 0) throw corrupt('an object is missing or damaged')
}

/**
 * The output of a git command, split at NUL. Leaving the loop early or aborting kills git.
 *
 * @throws {FaultlineError} REPOSITORY_CORRUPT when git fails.
 */
export async function* readRecords(
  args: readonly string[],
  gitDir: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const git = startGit(args, { gitDir, signal })
  git.child.stdin.end()
  try {
    let rest: Buffer = Buffer.alloc(0)
    for await (const chunk of git.child.stdout as AsyncIterable<Buffer>) {
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let start = 0
      for (let end = data.indexOf(0, start); end >= 0; end = data.indexOf(0, start)) {
        yield data.toString('utf8', start, end)
        start = end + 1
      }
      rest = data.subarray(start)
      if (rest.length > MAX_PATH_BYTES) {
        throw new FaultlineError('REPOSITORY_TOO_LARGE', 'The repository holds a path of more than 64 KiB.')
      }
    }
    await requireSuccess(git, signal, undefined)
    if (rest.length > 0) throw corrupt('the list of files is cut off')
  } finally {
    git.kill()
  }
}

function requireOid(oid: string): void {
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(oid)) throw new TypeError('an object id must be 40 or 64 hex digits')
}

/**
 * Every file of a commit in git's order. Reads only the local object database; a clone that cannot be read is marked as
 * damaged. Leaving the loop early or aborting kills git. About 20 ms for 2,400 files.
 *
 * @throws {FaultlineError} REPOSITORY_CORRUPT: the commit or one of its trees is missing or damaged.
 * REPOSITORY_TOO_LARGE: a commit with more files, or longer paths in all, than any honest one has.
 */
export async function* listTree(
  gitDir: string,
  commit: string,
  signal?: AbortSignal,
  maxEntries = MAX_ENTRIES,
): AsyncGenerator<TreeEntry> {
  requireOid(commit)
  let entries = 0
  let pathBytes = 0
  try {
    for await (const record of readRecords(['ls-tree', '-r', '-z', '-l', '--full-tree', commit], gitDir, signal)) {
      const [, mode = '', type, oid = '', size, path = ''] =
        /^(\d{6}) (blob|commit) ([0-9a-f]{40,64}) +(\d+|-)\t([^]*)$/.exec(record) ?? []
      if (type !== 'blob' && type !== 'commit') throw corrupt('git listed an entry that cannot be read')
      entries++
      pathBytes += path.length
      if (entries > maxEntries || pathBytes > MAX_TREE_PATH_BYTES) {
        throw new FaultlineError('REPOSITORY_TOO_LARGE', `The commit holds more than ${maxEntries} files.`)
      }
      yield { path, mode, type, oid, size: size === '-' ? null : Number(size) }
    }
  } catch (error) {
    await noteDamage(gitDir, error)
    throw error
  }
}

async function writeOids(git: RunningGit, oids: Iterable<string>): Promise<void> {
  const { stdin } = git.child
  let lines: string[] = []
  const flush = async () => {
    const text = lines.join('')
    lines = []
    if (text !== '' && !stdin.write(text)) {
      await Promise.race([new Promise(resolve => stdin.once('drain', resolve)), git.ended])
    }
  }
  for (const oid of oids) {
    requireOid(oid)
    lines.push(`${oid}\n`)
    if (lines.length >= OIDS_PER_WRITE) await flush()
    if (stdin.destroyed) return
  }
  await flush()
  stdin.end()
}

/** Reads lines and byte counts from a stream; it stops reading ahead while nothing is requested. */
function createReader(stream: AsyncIterable<Buffer>) {
  const chunks = stream[Symbol.asyncIterator]()
  let buffer: Buffer = Buffer.alloc(0)
  const more = async (): Promise<Buffer | null> => {
    const next = await chunks.next()
    return next.done === true ? null : next.value
  }
  return {
    async line(): Promise<string | null> {
      for (let end = buffer.indexOf(10); ; end = buffer.indexOf(10)) {
        if (end >= 0) {
          const line = buffer.toString('latin1', 0, end)
          buffer = buffer.subarray(end + 1)
          return line
        }
        const chunk = await more()
        if (chunk === null && buffer.length === 0) return null
        if (chunk === null) throw corrupt('git stopped in the middle of an object')
        buffer = Buffer.concat([buffer, chunk])
      }
    },
    async bytes(count: number): Promise<Buffer> {
      // its own memory: the caller may keep a small blob without keeping a chunk
      const result = Buffer.allocUnsafeSlow(count)
      let filled = 0
      for (;;) {
        const taken = buffer.copy(result, filled, 0, count - filled)
        buffer = buffer.subarray(taken)
        filled += taken
        if (filled === count) return result
        const chunk = await more()
        if (chunk === null) throw corrupt('git stopped in the middle of an object')
        buffer = chunk
      }
    },
  }
}

/**
 * The contents of many blobs, in the requested order, from one `git cat-file --batch`. One blob is in memory at a time,
 * and git waits while the caller works. A clone that cannot be read is marked as damaged. Leaving the loop early or
 * aborting kills git. About 27 MB in 0.2 s.
 *
 * @param oids - May be a generator; it is asked for more as git takes them.
 * @throws {FaultlineError} REPOSITORY_CORRUPT: an object is missing, or is no blob. REPOSITORY_TOO_LARGE: a blob of
 * more than 64 MiB; leave those out by the sizes from `listTree`.
 */
export async function* readBlobs(
  gitDir: string,
  oids: Iterable<string>,
  signal?: AbortSignal,
): AsyncGenerator<{ oid: string; bytes: Buffer }> {
  const git = startGit(['cat-file', '--batch', '--buffer'], { gitDir, signal })
  let fault: unknown
  const writing = writeOids(git, oids).catch(error => {
    fault = error
    git.kill()
  })
  const reader = createReader(git.child.stdout)
  try {
    for (;;) {
      const header = await reader.line()
      if (header === null) break
      const [oid = '', type, size] = header.split(' ')
      if (type === 'missing') throw corrupt(`the object ${oid} is missing`)
      if (type !== 'blob') throw corrupt(`the object ${oid} is not a file's content`)
      if (Number(size) > MAX_BLOB_BYTES) {
        throw new FaultlineError('REPOSITORY_TOO_LARGE', `A file of ${size} bytes is too large to be read.`)
      }
      const bytes = await reader.bytes(Number(size))
      await reader.bytes(1) // the newline that ends each object
      yield { oid, bytes }
    }
    await writing
    await requireSuccess(git, signal, fault)
  } catch (error) {
    await noteDamage(gitDir, error)
    throw error
  } finally {
    git.kill()
  }
}
