import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { isProjectName } from '../../core/project.ts'
import { threadCaches } from '../../core/cache-budget.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'
import { readChanges, type ChangeHistory } from './changes.ts'
import { cutOffCommits } from './cut-off-commits.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { isCommitId } from '../clone/refs.ts'

const FOLDER = 'faultline-changes'
const FORMAT_VERSION = 1
const MAX_TABLE_BYTES = 64 * 1_048_576
/**
 * How long the table of a commit stays after no project holds that commit: where indexing failed after a sync, the
 * index is still that of an earlier commit.
 */
const KEEP_MS = 7 * 86_400_000
const MAX_KEPT = 20
const PACKING = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } }

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

interface RecordRequest {
  /** The commit whose history was fetched. */
  commit: string
  /** Commits that projects hold, including this one: their tables stay, those of others for a week at most. */
  held: ReadonlySet<string>
  searchPath: string
  signal: AbortSignal
}

function commitIn(name: string): string | null {
  const commit = name.endsWith('.zst') ? name.slice(0, -4) : ''
  return isCommitId(commit) ? commit : null
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

async function removeOldTables(folder: string, held: ReadonlySet<string>): Promise<void> {
  const others = (await entriesOf(folder)).filter(name => !held.has(commitIn(name) ?? ''))
  const dated = await Promise.all(
    others.map(async name => ({
      name,
      written: commitIn(name) === null ? 0 : (await stat(join(folder, name))).mtimeMs,
    })),
  )
  const recent = dated
    .filter(({ written }) => written > Date.now() - KEEP_MS)
    .sort((a, b) => b.written - a.written)
    .slice(0, MAX_KEPT)
  const kept = new Set(recent.map(({ name }) => name))
  for (const name of others) if (!kept.has(name)) await rm(join(folder, name), { force: true })
}

const tableOf = (gitDir: string, commit: string): string => join(gitDir, FOLDER, `${commit}.zst`)

async function readTable(gitDir: string, commit: string): Promise<ChangeHistory | null | 'damaged'> {
  const path = tableOf(gitDir, commit)
  // Until the history is fetched every answer asks for it: this takes a tenth of the time of a read that fails.
  if (!existsSync(path)) return null
  let packed: Uint8Array
  try {
    packed = await readFile(path)
  } catch (error) {
    return isMissing(error) ? null : 'damaged' // something else is in its place
  }
  try {
    const { formatVersion, paths, commits } = JSON.parse(
      (await decompress(packed, { maxOutputLength: MAX_TABLE_BYTES })).toString(),
    )
    return formatVersion !== FORMAT_VERSION
      ? null
      : { paths, commits: commits.map(([id, date, ...files]: [string, number, ...number[]]) => ({ id, date, files })) }
  } catch {
    return 'damaged' // its checksum is wrong, or it is cut off
  }
}

/** The newest table of an ancestor of this commit. After a force-push there is none. */
async function earlierTable(
  gitDir: string,
  commit: string,
  { searchPath, signal }: Pick<RecordRequest, 'searchPath' | 'signal'>,
): Promise<{ commit: string; history: ChangeHistory } | undefined> {
  const git = openLocalGit(gitDir, { searchPath, signal })
  const others = (await entriesOf(join(gitDir, FOLDER)))
    .flatMap(name => commitIn(name) ?? [])
    .filter(other => other !== commit)
  const dated = await Promise.all(
    others.map(async other => ({ other, written: (await stat(tableOf(gitDir, other))).mtimeMs })),
  )
  for (const { other } of dated.sort((a, b) => b.written - a.written)) {
    const { exitCode } = await git.run(['merge-base', '--is-ancestor', other, commit])
    const history = exitCode === 0 ? await readTable(gitDir, other) : null
    if (history !== null && history !== 'damaged') return { commit: other, history }
  }
  return undefined
}

async function packTable({ paths, commits }: ChangeHistory): Promise<Uint8Array> {
  return await compress(
    Buffer.from(
      JSON.stringify({
        formatVersion: FORMAT_VERSION,
        paths,
        commits: commits.map(({ id, date, files }) => [id, date, ...files]),
      }),
    ),
    PACKING,
  )
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/**
 * Keeps a table beside a clone of what the commits up to one of them changed, which a reader uses without git: some 200
 * kB for 5,000 commits. An intact table stays; a new one continues that of an earlier commit.
 *
 * @returns Whether one was damaged.
 * @throws What `readChanges` throws.
 */
export async function recordChanges(
  gitDir: string,
  { commit, held, searchPath, signal }: RecordRequest,
): Promise<{ wasDamaged: boolean }> {
  const folder = join(gitDir, FOLDER)
  const known = await readTable(gitDir, commit)
  if (known === null || known === 'damaged') {
    const base = await earlierTable(gitDir, commit, { searchPath, signal })
    const history = await readChanges(gitDir, commit, { signal, cutOff: await cutOffCommits(gitDir), base })
    await mkdir(folder, { mode: 0o700 }).catch(unlessThere) // and nothing where the clone was taken away meanwhile
    const path = tableOf(gitDir, commit)
    await writeFile(`${path}.new`, await packTable(history), { mode: 0o600, flush: true })
    if (known === 'damaged') await rm(path, { recursive: true, force: true }) // a folder could not be replaced
    await rename(`${path}.new`, path)
  }
  await removeOldTables(folder, held)
  return { wasDamaged: known === 'damaged' }
}

/** Starts the week after which a commit's table is removed. Call it when a project moves on to another commit. */
export async function letTableGo(gitDir: string, commit: string): Promise<void> {
  const now = new Date()
  await utimes(tableOf(gitDir, commit), now, now).catch(error => {
    if (!isMissing(error)) throw error
  })
}

/** Reads the table of a commit of a clone; null where there is none. */
type ReadChangeTable = (repository: string, commit: string) => Promise<ChangeHistory | null>

/**
 * An estimate of a table's size in memory: two bytes a character, eight a number, and the engine's overhead for each
 * object.
 */
function bytesOf({ paths, commits }: ChangeHistory): number {
  return (
    paths.reduce((sum, path) => sum + 2 * path.length + 24, 0) +
    commits.reduce((sum, { files }) => sum + 8 * files.length + 160, 0)
  )
}

/**
 * Reads the tables of clones, and keeps those used last while the caches of the thread have room. Null for a clone
 * whose history was not fetched yet, for a commit that no project has held for a week, and for a damaged table, which
 * the next fetch of the history makes again. Any name is safe.
 */
export function createChangeReader({ clonedReposDir }: { clonedReposDir: string }): ReadChangeTable {
  const open = new RecentlyUsed<string, ChangeHistory>(threadCaches, bytesOf)
  const underWay = new Map<string, Promise<ChangeHistory | null>>()

  async function read(key: string, repository: string, commit: string): Promise<ChangeHistory | null> {
    const table = await readTable(join(clonedReposDir, repository), commit)
    if (table === null || table === 'damaged') return null // it may come
    open.set(key, table)
    return table
  }

  return async (repository, commit) => {
    if (!isProjectName(repository) || !isCommitId(commit)) return null
    const key = `${repository} ${commit}`
    const known = open.find(key)
    if (known !== undefined) return known
    const reading = underWay.get(key) ?? read(key, repository, commit).finally(() => underWay.delete(key))
    underWay.set(key, reading)
    return await reading
  }
}
