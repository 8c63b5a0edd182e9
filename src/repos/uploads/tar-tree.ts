import { once } from 'node:events'
import { posix } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { diskFull } from '../clone/disk-space.ts'
import { isCommitId } from '../clone/refs.ts'
import { startGit } from '../git/git-process.ts'
import { refusedEntry, type TarEntry } from './read-tar.ts'

/** How a tree is committed. */
interface TreeCommit {
  gitDir: string
  /** Without `refs/heads/`. */
  branch: string
  /** In seconds since 1970. */
  date: number
  searchPath: string
  signal: AbortSignal
}

const AUTHOR = 'Faultline <faultline@localhost>'
const MESSAGE = 'Upload of an archive\n'

const quoted = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&')}"`

const isInGitFolder = (name: string): boolean => name.split('/').some(segment => /^\.git$/i.test(segment))

/** A link is kept as one, and never followed; one that leads elsewhere says that the archive means harm. */
function checkLink(name: string, target: string): void {
  if (target === '' || /\p{Cc}/u.test(target) || target.startsWith('/')) {
    throw refusedEntry(name, 'is a link to an absolute path')
  }
  if (posix.join(posix.dirname(name), target).split('/')[0] === '..') {
    throw refusedEntry(name, 'is a link that leads out of the archive')
  }
}

type Write = (data: string | Buffer) => Promise<void>

async function writeEntry(write: Write, { type, size, target, isExecutable, body }: TarEntry, path: string) {
  if (type === 'symlink') {
    checkLink(path, target)
    return await write(`M 120000 inline ${quoted(path)}\ndata ${Buffer.byteLength(target)}\n${target}\n`)
  }
  await write(`M ${isExecutable ? '100755' : '100644'} inline ${quoted(path)}\ndata ${size}\n`)
  for await (const piece of body()) await write(piece)
  await write('\n')
}

async function writeCommit(
  write: Write,
  entries: AsyncGenerator<TarEntry>,
  { prefix, branch, date, parent }: { prefix: string; branch: string; date: number; parent: string | null },
): Promise<void> {
  const who = `${AUTHOR} ${date} +0000`
  await write(`commit refs/heads/${branch}\nmark :1\nauthor ${who}\ncommitter ${who}\n`)
  await write(`data ${MESSAGE.length}\n${MESSAGE}${parent === null ? '' : `from ${parent}\n`}deleteall\n`)
  for await (const entry of entries) {
    const path = entry.name.slice(prefix.length)
    if (entry.type === 'folder' || path === '' || isInGitFolder(path)) continue
    await writeEntry(write, entry, path)
  }
  await write('\nget-mark :1\ndone\n')
}

async function treeOf(git: ReturnType<typeof openLocalGit>, commit: string): Promise<string> {
  return (await git.run(['rev-parse', `${commit}^{tree}`])).stdout.toString()
}
/**
 * Commits the files of an archive onto a branch, as they come: there is no work tree, and no more than a piece of one
 * file is in memory. Files that are as they were make no commit.
 *
 * @param prefix - What stands before every name in the archive.
 * @throws {FaultlineError} As `readTar`; DISK_FULL.
 */
export async function commitTree(entries: AsyncGenerator<TarEntry>, prefix: string, commit: TreeCommit): Promise<void> {
  const { gitDir, branch, date, searchPath, signal } = commit
  const git = openLocalGit(gitDir, { searchPath, signal })
  const ref = `refs/heads/${branch}`
  const parent = await git.commitOf(ref)
  const running = startGit(['fast-import', '--quiet', '--done', '--force', '--date-format=raw'], {
    gitDir,
    searchPath,
    signal,
  })
  const { stdin, stdout } = running.child
  const printed: Buffer[] = []
  stdout.on('data', (chunk: Buffer) => printed.push(chunk))
  const gone = running.ended.then(() => 'ended')
  const write: Write = async data => {
    if (stdin.destroyed || stdin.write(data)) return
    await Promise.race([once(stdin, 'drain'), gone]) // what went wrong shows in how it ended
  }
  try {
    await writeCommit(write, entries, { prefix, branch, date, parent })
  } catch (error) {
    running.kill()
    await running.ended
    throw error
  }
  stdin.end()
  const { exitCode, stderr } = await running.ended
  signal.throwIfAborted()
  const made = Buffer.concat(printed).toString().trim()
  if (exitCode !== 0 || !isCommitId(made)) {
    if (/No space left|Disk quota/.test(stderr)) throw diskFull('The disk became full while an archive was committed')
    throw new FaultlineError('REPOSITORY_CORRUPT', 'Git could not commit the files of the archive.', undefined, {
      cause: new Error(stderr),
    })
  }
  if (parent !== null && (await treeOf(git, made)) === (await treeOf(git, parent))) {
    await git.updateRefs([{ ref, commit: parent }])
  }
}
