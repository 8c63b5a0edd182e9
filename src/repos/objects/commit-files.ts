import { FaultlineError } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import { safePath } from '../../core/safe-path.ts'
import { withUser, writeCloneState } from '../clone/clone-state.ts'
import { needUsedClone } from '../clone/clone-user.ts'
import { removeLeftovers } from '../clone/clone-upkeep.ts'
import { noSuchCommit } from './commit-reader.ts'
import { diskFull } from '../clone/disk-space.ts'
import { runGit } from '../git/git-process.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { readRecords } from './objects.ts'
import { isCommitId, isRefName } from '../clone/refs.ts'
import { noSuchClone, type CloneContext } from '../clone/sync.ts'

/** Changed files to be committed onto a branch, and by whom. */
export interface CommitRequest {
  repository: string
  projectName: string
  /** Id of the commit that the files are changed against; it becomes the parent. */
  base: string
  /** Without `refs/heads/`. */
  branch: string
  /** Content by path; null deletes the file. */
  files: Readonly<Record<string, string | null>>
  message: string
  /** Date of the commit, in seconds since 1970. */
  date: number
}

const AUTHOR = 'Faultline <faultline@localhost>'

async function importing<T>(work: () => Promise<T>, gitDir: string): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await removeLeftovers(gitDir) // of a git that was killed
    throw error
  }
}

/** The modes of all files of a commit; no blob has to be present for it. */
async function modesOf(gitDir: string, commit: string, signal: AbortSignal): Promise<Map<string, string>> {
  const modes = new Map<string, string>()
  for await (const record of readRecords(['ls-tree', '-r', '-z', '--full-tree', commit], gitDir, signal)) {
    modes.set(record.slice(record.indexOf('\t') + 1), record.slice(0, 6))
  }
  return modes
}

const isRegular = (mode: string | undefined): boolean => mode === undefined || mode.startsWith('100')

const badPath = (path: string, problem: string): FaultlineError =>
  new FaultlineError('BAD_PATH', `${JSON.stringify(path.slice(0, 200))} ${problem}.`)

function parentsOf(path: string): string[] {
  const parents: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at))
  return parents
}

/** Refuses files in the place of a link or a folder, which git itself would silently replace. */
function checkPlaces(modes: ReadonlyMap<string, string>, files: CommitRequest['files']): void {
  const after = new Set(modes.keys())
  for (const [path, content] of Object.entries(files)) {
    if (safePath(path) !== path) throw badPath(path, 'is no path that may be written')
    if (!isRegular(modes.get(path))) throw badPath(path, 'is a link or a submodule of the repository')
    if (content === null) after.delete(path)
    else after.add(path)
  }
  const folders = new Set([...after].flatMap(parentsOf))
  for (const [path, content] of Object.entries(files)) {
    if (content !== null && folders.has(path)) throw badPath(path, 'is a folder of the repository')
    const inTheWay = content === null ? undefined : parentsOf(path).find(parent => after.has(parent))
    if (inTheWay !== undefined) throw badPath(path, `cannot be made: ${JSON.stringify(inTheWay)} is no folder`)
  }
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
const quoted = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&')}"`

const REGULAR_FILE = '100644'

/** The input of `git fast-import`. Deletions come first: a file may take the place of another one's folder. */
function fastImportStream(request: CommitRequest, modes: ReadonlyMap<string, string>): string {
  const { base, branch, files, message, date } = request
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))
  const who = `${AUTHOR} ${Math.trunc(date)} +0000`
  const deletions = entries.flatMap(([path, content]) => (content === null ? [`D ${quoted(path)}\n`] : []))
  const changes = entries.flatMap(([path, content]) => {
    if (content === null) return []
    return [`M ${modes.get(path) ?? REGULAR_FILE} inline ${quoted(path)}\n${data(content)}`]
  })
  return [
    `commit refs/heads/${branch}\nmark :1\nauthor ${who}\ncommitter ${who}\n`,
    `${data(message.toWellFormed().replaceAll('\0', ''))}from ${base}\n`,
    ...deletions,
    ...changes,
    '\nget-mark :1\ndone\n',
  ].join('')
}

async function commit(context: CloneContext, request: CommitRequest, signal: AbortSignal): Promise<{ commit: string }> {
  const { searchPath } = context
  const { repository, base, branch, files } = request
  const { gitDir, state, user } = await needUsedClone(context, request)
  if ((await openLocalGit(gitDir, { searchPath, signal }).commitOf(base)) === null) throw noSuchCommit(repository, base)
  const modes = await modesOf(gitDir, base, signal)
  checkPlaces(modes, files)
  const { exitCode, stdout, stderr } = await importing(
    () =>
      runGit(['fast-import', '--quiet', '--done', '--date-format=raw'], {
        gitDir,
        searchPath,
        signal,
        input: fastImportStream(request, modes),
      }),
    gitDir,
  )
  const id = stdout.toString().trim()
  if (exitCode !== 0 || !isCommitId(id)) {
    await removeLeftovers(gitDir)
    if (/No space left|Disk quota/.test(stderr)) throw diskFull('The disk became full while files were committed')
    if (/Not updating/.test(stderr)) {
      throw new FaultlineError('BAD_REF', `The branch "${branch}" of the clone holds other commits already.`)
    }
    throw new Error(`git fast-import failed: ${stderr}`)
  }
  const branches = user.branches ?? []
  if (!branches.includes(branch)) {
    await writeCloneState(gitDir, withUser(state, { ...user, branches: [...branches, branch] }))
  }
  return { commit: id }
}

/**
 * Commits changed files onto a branch of a clone with one `git fast-import`, which reads no work tree and no index and
 * runs no hook and no filter. Files keep their modes, new ones are 100644. Idempotent: the same call gives the same
 * commit, so an interrupted step can run again. Waits for running writes to the clone.
 *
 * @throws {FaultlineError} NOT_FOUND: no such clone, project or commit. BAD_PATH: a link, a submodule, a file or a
 * folder is in the way. BAD_REF: the branch holds something else. DISK_FULL.
 */
export async function commitFiles(
  context: CloneContext,
  request: CommitRequest,
  signal: AbortSignal,
): Promise<{ commit: string }> {
  const { repository } = request
  if (!isProjectName(repository)) throw noSuchClone(repository)
  if (!isRefName(request.branch) || !isCommitId(request.base)) {
    throw new FaultlineError(
      'BAD_REF',
      `${JSON.stringify(request.branch)} at ${JSON.stringify(request.base)} cannot be committed to.`,
    )
  }
  return await context.mutexes.run(repository.toLowerCase(), async () => await commit(context, request, signal), signal)
}
