import { randomUUID } from 'node:crypto'
import { access, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FaultlineError } from '../../core/errors.ts'
import { packWhenMany, removeLeftovers } from '../clone/clone-upkeep.ts'
import { requireFreeSpace } from '../clone/disk-space.ts'
import { openLocalGit, type LocalGit } from '../clone/local-git.ts'
import { TEMPORARY_PREFIX, type CloneContext } from '../clone/sync.ts'
import { callGit, GitFailure } from '../git/git-client.ts'
import { fetchError } from '../git/git-errors.ts'
import { gitEnv, LOCAL_UPLOAD_PACK, remoteSettings } from '../git/git-env.ts'
import { withinLimits } from '../limits.ts'
import { chooseBranch, parseRemoteRefs, requireRefs, type RemoteRefs } from '../remote/remote-refs.ts'
import type { RepositoryUrl } from '../remote/repository-url.ts'
import { inspectArchive, withArchive } from './open-archive.ts'
import { commitTree } from './tar-tree.ts'
import { unpackRepository } from './tar-repository.ts'
import { uploadedRemote, uploadsFolder, type UploadedName } from './uploaded-remote.ts'

/** An uploaded file, and where it belongs. */
export interface UploadRequest extends UploadedName {
  /** The name of the file in the folder of uploads. */
  upload: string
}

const LAST_UPLOAD = 'faultline-upload'
/** Branches, then tags; whatever else a bundle holds is left. */
const ALL_REFS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
const MAIN = 'main'

const isUploadName = (name: string): boolean => /^upl_[0-9a-f]{32}$/.test(name)

/** What a file is by its first bytes, whatever it is called. */
export function uploadKind(start: Buffer): 'bundle' | 'archive' | null {
  if (start.length >= 2 && start[0] === 0x1f && start[1] === 0x8b) return 'archive'
  return /^# v[23] git bundle\n/.test(start.toString('latin1', 0, 20)) ? 'bundle' : null
}

async function startOf(file: string): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

interface Ingest {
  context: CloneContext
  /** The repository that clones fetch from. */
  gitDir: string
  remote: RepositoryUrl
  signal: AbortSignal
}

const openGit = ({ context, gitDir, signal }: Ingest): LocalGit => openLocalGit(gitDir, { ...context, signal })

/** A git that reads from a file or folder of ours: nothing of it is named by a client. */
async function gitFrom({ context, gitDir, remote, signal }: Ingest, args: readonly string[]): Promise<string> {
  try {
    return await callGit({
      args,
      cwd: gitDir,
      env: gitEnv({ gitDir, searchPath: context.searchPath, protocols: 'file' }),
      settings: remoteSettings(remote, []),
      signal,
    })
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
    if (/lacks these prerequisite/.test(error.stderr)) {
      throw new FaultlineError(
        'REF_NOT_FOUND',
        'The bundle goes on from commits that were not uploaded before.',
        'Make one with everything: git bundle create shop.bundle --all.',
      )
    }
    const explained = fetchError(error.stderr, remote, error)
    throw explained.code === 'DISK_FULL'
      ? explained
      : new FaultlineError(
          'REPOSITORY_CORRUPT',
          'Git cannot read the uploaded file: it is damaged or cut off.',
          'Make it again, check it with "git bundle verify" or "gzip -t", and upload that.',
          { cause: explained },
        )
  }
}

/** Refs to fetch where a bundle has no branch: those of its remote, or what its HEAD stands for. */
function refspecsOf(refs: RemoteRefs, output: string): string[] {
  if (refs.branches.size > 0) return ALL_REFS
  if (output.includes('\trefs/remotes/origin/')) return ['+refs/remotes/origin/*:refs/heads/*', ...ALL_REFS.slice(1)]
  return refs.head === null ? ALL_REFS : [`+HEAD:refs/heads/${MAIN}`, ...ALL_REFS.slice(1)]
}

/** Which branch is the default one from now on: what the source's HEAD stands for, as far as that can be told. */
function headOf(refs: RemoteRefs, remote: RepositoryUrl): string {
  const { defaultBranch, head, branches } = refs
  if (defaultBranch !== null && branches.has(defaultBranch)) return defaultBranch
  const atHead = [...branches].filter(([, commit]) => commit === head).map(([name]) => name)
  const usual = ['main', 'master'].find(name => atHead.includes(name))
  const [first] = atHead.length > 0 ? atHead : [...branches.keys()]
  return usual ?? first ?? chooseBranch(refs, remote) ?? MAIN
}

/** Fetches all branches and tags from a bundle or a bare repository; those that it no longer has are deleted. */
async function fetchFrom(ingest: Ingest, source: string, options: readonly string[], isWhole: boolean): Promise<void> {
  const { remote } = ingest
  const output = await gitFrom(ingest, ['ls-remote', '--symref', ...options, '--', source])
  const refs = parseRemoteRefs(output, remote)
  if (!output.includes('\trefs/remotes/origin/')) requireRefs(refs, remote)
  await gitFrom(ingest, [
    'fetch',
    ...options,
    '--no-tags',
    '--no-recurse-submodules',
    '--no-write-fetch-head',
    '--no-auto-maintenance',
    '--update-shallow',
    '--update-head-ok',
    '--force',
    ...(isWhole ? ['--prune'] : []),
    '--',
    source,
    ...refspecsOf(refs, output),
  ])
  const fetched = parseRemoteRefs(await gitFrom(ingest, ['ls-remote', '--', ingest.gitDir]), remote)
  const wanted = headOf({ ...fetched, head: refs.head, defaultBranch: refs.defaultBranch }, remote)
  await openGit(ingest).run(['symbolic-ref', 'HEAD', `refs/heads/${wanted}`])
}

/** The beginning of a bundle, where what it goes on from stands before its refs. */
async function startOfBundle(file: string): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function ingestBundle(ingest: Ingest, file: string): Promise<void> {
  await gitFrom(ingest, ['bundle', 'verify', file])
  const { stdout } = await openGit(ingest).run(['bundle', 'list-heads', file])
  if (stdout.length === 0) throw new FaultlineError('EMPTY_REPOSITORY', 'The bundle holds no branch and no tag.')
  const header = (await startOfBundle(file)).split('\n\n', 1)[0] ?? ''
  await fetchFrom(ingest, file, [], !/\n-[0-9a-f]{40}/.test(header))
}

async function ingestArchive(ingest: Ingest, file: string, date: number): Promise<void> {
  const { context, gitDir, signal } = ingest
  const { maxEntries, maxBytes } = context.limits
  const limits = { maxEntries, maxBytes, signal }
  const { kind, prefix } = await withArchive(file, limits, inspectArchive)
  if (kind === 'tree') {
    const head = (await openGit(ingest).run(['symbolic-ref', '--short', 'HEAD'])).stdout.toString().trim()
    const branch = head === '' || head === 'none' ? MAIN : head
    await withArchive(file, limits, entries =>
      commitTree(entries, prefix, { gitDir, branch, date, searchPath: context.searchPath, signal }),
    )
    await openGit(ingest).run(['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
    return
  }
  const draft = join(context.clonedReposDir, `${TEMPORARY_PREFIX}${randomUUID()}`)
  await mkdir(draft, { mode: 0o700 })
  try {
    const options = { draft, searchPath: context.searchPath, signal }
    await withArchive(file, limits, entries => unpackRepository(entries, prefix, options))
    await fetchFrom(ingest, pathToFileURL(draft).href, [`--upload-pack=${LOCAL_UPLOAD_PACK}`], true)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

const lastUploadOf = (gitDir: string): Promise<string> => readFile(join(gitDir, LAST_UPLOAD), 'utf8').catch(() => '')

/**
 * Takes an uploaded file into the repository that clones of it fetch from. The file is hostile: git verifies a bundle
 * and all objects, of an archive only objects, refs and plain files are taken. Idempotent: what was taken already need
 * not be there any more.
 *
 * @returns The remote to fetch from.
 * @throws {FaultlineError} NOT_FOUND: the file is gone. BAD_PATH, REPOSITORY_CORRUPT, REPOSITORY_TOO_LARGE,
 * EMPTY_REPOSITORY, REF_NOT_FOUND, CLONE_TIMED_OUT, DISK_FULL.
 */
export async function ingestUpload(
  context: CloneContext,
  { upload, ...name }: UploadRequest,
  signal: AbortSignal,
): Promise<RepositoryUrl> {
  const { clonedReposDir, limits } = context
  const remote = uploadedRemote(clonedReposDir, name)
  const gitDir = remote.path ?? ''
  if ((await lastUploadOf(gitDir)) === upload) return remote
  const file = join(uploadsFolder(clonedReposDir), upload)
  if (!isUploadName(upload) || !(await exists(file))) {
    throw new FaultlineError(
      'NOT_FOUND',
      'The uploaded file is not kept any more.',
      `Upload it again: POST /projects/${name.projectName}/upload.`,
    )
  }
  await requireFreeSpace(clonedReposDir, limits.minFreeBytes)
  const isNew = !(await exists(join(gitDir, 'HEAD')))
  await mkdir(gitDir, { recursive: true, mode: 0o700 })
  if (!isNew) await removeLeftovers(gitDir) // of a git that was killed with the server
  try {
    await withinLimits(gitDir, limits, signal, async inner => {
      const ingest: Ingest = { context, gitDir, remote, signal: inner }
      if (isNew) await openGit(ingest).init()
      if (uploadKind(await startOf(file)) === 'bundle') await ingestBundle(ingest, file)
      else await ingestArchive(ingest, file, Math.floor(Date.now() / 1000))
      await packWhenMany(gitDir, { ...context, signal: inner })
      await writeFile(join(gitDir, LAST_UPLOAD), upload, { mode: 0o600 })
    })
  } catch (error) {
    if (isNew) await rm(gitDir, { recursive: true, force: true })
    else await removeLeftovers(gitDir)
    throw error
  }
  return remote
}
