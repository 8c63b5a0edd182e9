import { NOTHING_COMMITTED } from '../../core/uncommitted.ts'
import type { LocalGit } from '../clone/local-git.ts'
import { runGit } from '../git/git-process.ts'
import { fingerprintOf, lookAtChanged, type ChangedFile } from './changed-files.ts'
import { readStatus, type ChangedPath } from './status.ts'
import { withWorkView, type WorkTreeSource, type WorkView } from './work-view.ts'

/** A commit of ours on top of a person's, which holds the files as they are in the work tree. */
export interface Snapshot {
  commit: string
  tree: string
  /** How many files differ from the commit below it. */
  files: number
  /** Says whether the same files would be read again; null where that cannot be told. */
  fingerprint: string | null
}

/** What is taken a snapshot of. */
interface SnapshotRequest {
  source: WorkTreeSource
  /** The clone, which holds `base`. */
  git: LocalGit
  base: string
  /** The last snapshot on the same commit, if it is still there. */
  previous: Snapshot | null
}

interface SnapshotContext {
  clonedReposDir: string
  searchPath: string
  signal: AbortSignal
}

const AUTHOR = 'Not Committed Yet <not.committed.yet>' // as `git blame` calls it
const REMOVED = `0 ${'0'.repeat(40)}\t`

const listOf = (paths: readonly string[]): Buffer => Buffer.from(paths.map(path => `${path}\0`).join(''), 'latin1')

/** What may differ from the base, by the copy of the person's index; by the files alone where git cannot read that. */
async function changedPaths(view: WorkView): Promise<ChangedPath[]> {
  const status = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all']
  // also files that the person told git to take for unchanged
  await view.run(['update-index', '-q', '--really-refresh'])
  const outcome = await view.run(status)
  if (outcome.exitCode === 0) return readStatus(outcome.stdout)
  await view.forgetIndex()
  return readStatus(await view.must(status))
}

/**
 * Adds files as git would, with what `.gitattributes` says of line ends and encodings. A file that went away meanwhile,
 * must not be read, or is not in the encoding that it is said to be in, stays as it was committed.
 */
async function addFiles(view: WorkView, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  const add = ['update-index', '--add', '--replace', '-z', '--stdin']
  const { exitCode, stderr } = await view.runApart(add, listOf(paths))
  if (exitCode === 0) return
  if (/No space left|Disk quota/.test(stderr)) await view.mustApart(add, listOf(paths))
  if (paths.length === 1) return
  const half = Math.ceil(paths.length / 2)
  await addFiles(view, paths.slice(0, half))
  await addFiles(view, paths.slice(half))
}

async function writeTree(view: WorkView, base: string, files: readonly ChangedFile[]): Promise<string> {
  await view.mustApart(['read-tree', base])
  const gone = files.filter(({ stats }) => stats === null)
  if (gone.length > 0) {
    await view.mustApart(['update-index', '-z', '--index-info'], listOf(gone.map(({ path }) => `${REMOVED}${path}`)))
  }
  await addFiles(
    view,
    files.filter(({ stats }) => stats !== null).map(({ path }) => path),
  )
  return (await view.mustApart(['write-tree'])).toString().trim()
}

/** When the newest of the files was changed, in seconds since 1970. */
function dateOf(files: readonly ChangedFile[], now: number): number {
  const times = files.flatMap(({ stats }) => (stats === null ? [] : [Number(stats.mtimeMs)]))
  const newest = times.length === 0 ? now : Math.max(...times)
  return Math.floor(Math.min(Math.max(newest, 0), now) / 1000)
}

async function writeCommit(view: WorkView, tree: string, base: string, date: number): Promise<string> {
  const who = `${AUTHOR} ${date} +0000`
  const text = `tree ${tree}\nparent ${base}\nauthor ${who}\ncommitter ${who}\n\nChanges that are not committed\n`
  return (await view.must(['hash-object', '-t', 'commit', '-w', '--stdin'], Buffer.from(text))).toString().trim()
}

async function countFiles(view: WorkView, base: string, tree: string): Promise<number> {
  const listed = await view.must(['diff-tree', '-r', '-z', '--no-renames', '--name-only', base, tree])
  return listed.filter(byte => byte === 0).length
}

/**
 * Takes a snapshot of a work tree into a clone: the files that git tracks or would track, as they are on the disk.
 * Only what changed since `base` is read, and nothing when it was read before. Files of a sparse checkout that are not
 * there, submodules, and secrets by their names are as in `base`.
 *
 * @returns Null when nothing differs from `base`.
 * @throws {FaultlineError} CLONE_FAILED: git cannot read the work tree. REPOSITORY_TOO_LARGE, DISK_FULL.
 */
export async function takeSnapshot(
  { source, git, base, previous }: SnapshotRequest,
  { clonedReposDir, searchPath, signal }: SnapshotContext,
): Promise<Snapshot | null> {
  const options = { source, cloneDir: git.gitDir, base, folder: clonedReposDir, searchPath, signal }
  return await withWorkView(options, async view => {
    const now = Date.now()
    const files = await lookAtChanged(source.workTree, await changedPaths(view))
    if (files.length === 0) return null
    const fingerprint = fingerprintOf(files, `${base}\n${view.settings}\n`, now)
    if (fingerprint !== null && fingerprint === previous?.fingerprint) return previous
    const tree = await writeTree(view, base, files)
    if (tree === previous?.tree) return { ...previous, fingerprint }
    const count = await countFiles(view, base, tree)
    if (count === 0) return null
    return { commit: await writeCommit(view, tree, base, dateOf(files, now)), tree, files: count, fingerprint }
  })
}

/**
 * Writes the commit that stands for the last one of a repository that has none, into a clone. As a pack: a clone
 * without any counts as damaged.
 */
export async function writeNothing(
  gitDir: string,
  { searchPath, signal }: Pick<SnapshotContext, 'searchPath' | 'signal'>,
): Promise<string> {
  const who = `${AUTHOR} 0 +0000`
  const message = 'Nothing is committed yet\n'
  const input =
    `commit refs/faultline-fetch/HEAD\nmark :1\nauthor ${who}\ncommitter ${who}\n` +
    `data ${message.length}\n${message}\nget-mark :1\ndone\n`
  const { exitCode, stdout, stderr } = await runGit(
    ['-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet', '--done', '--force', '--date-format=raw'],
    { gitDir, searchPath, signal, input },
  )
  const id = stdout.toString().trim()
  if (exitCode !== 0 || id !== NOTHING_COMMITTED) throw new Error(`git fast-import failed: ${stderr}`)
  return id
}
