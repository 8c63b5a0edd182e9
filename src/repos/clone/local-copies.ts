import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isProjectName } from '../../core/project.ts'
import { uploadedFolder, uploadedProject } from '../uploads/uploaded-remote.ts'
import { readCloneState } from './clone-state.ts'
import { folderBytes } from './disk-space.ts'
import { openLocalGit } from './local-git.ts'
import { TEMPORARY_PREFIX, type CloneContext } from './sync.ts'

/** A clone, or what was uploaded and its clone fetches from. */
export interface RepositoryName {
  repository: string
  /** The project that a file was uploaded into; null for a clone. */
  uploadedInto: string | null
}

/** What lies on this machine of a repository. */
export interface LocalCopy extends RepositoryName {
  bytes: number
  /** When its folder was changed last, in milliseconds since 1970. */
  changedAt: number
  /** The projects that use it, and the commit that each has indexed; of what was uploaded no commit. */
  users: Array<{ project: string; commit: string | null }>
}

/** A copy to remove. */
export interface CopyRemoval extends RepositoryName {
  /** The commits that may be lost with it. */
  kept: readonly string[]
  /** The projects that used it when it was listed. It stays if another one uses it by now. */
  projects: readonly string[]
}

type Context = Pick<CloneContext, 'clonedReposDir' | 'searchPath' | 'mutexes'>

/** What jobs committed, and what was in a work tree: no remote has it. */
const OWN_REFS = ['refs/heads/', 'refs/faultline-uncommitted/']

/** Where a copy lies; null for names that none can have. */
function folderOf(clonedReposDir: string, { repository, uploadedInto }: RepositoryName): string | null {
  if (!isProjectName(repository) || (uploadedInto !== null && !isProjectName(uploadedInto))) return null
  return uploadedInto === null
    ? join(clonedReposDir, repository)
    : join(uploadedProject(clonedReposDir, uploadedInto), repository.toLowerCase())
}

/**
 * Commits that a copy has of its own, or projects have indexed of it, and these projects; null where it cannot be read.
 */
export async function contentsOf(
  folder: string,
  { uploadedInto }: RepositoryName,
  { searchPath, signal }: { searchPath: string; signal: AbortSignal },
): Promise<{ commits: string[]; projects: string[] } | null> {
  const state = uploadedInto === null ? await readCloneState(folder) : { users: [] }
  if (state === null) return null
  const prefixes = uploadedInto === null ? OWN_REFS : ['refs/']
  const git = openLocalGit(folder, { searchPath, signal })
  const { exitCode, stdout } = await git.run(['for-each-ref', '--format=%(objectname)', ...prefixes])
  if (exitCode !== 0) return null
  const indexed = state.users.flatMap(({ commit, uncommitted }) => [commit, uncommitted?.commit ?? commit])
  const commits = [...new Set([...indexed, ...stdout.toString().split('\n')])].filter(id => id !== '')
  return { commits, projects: uploadedInto === null ? state.users.map(({ project }) => project) : [uploadedInto] }
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter(entry => entry.isDirectory() && isProjectName(entry.name)).map(({ name }) => name)
}

const changedAt = (folder: string): Promise<number> =>
  stat(folder).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )

/** All clones and uploads of this machine, with their sizes. Reads a folder entry for each file of each. */
export async function listCopies({ clonedReposDir }: Pick<Context, 'clonedReposDir'>): Promise<LocalCopy[]> {
  const copies: LocalCopy[] = []
  for (const repository of await namesIn(clonedReposDir)) {
    const folder = join(clonedReposDir, repository)
    const state = await readCloneState(folder)
    if (state === null) continue
    const users = state.users.map(({ project, commit }) => ({ project, commit }))
    const size = { bytes: await folderBytes(folder), changedAt: await changedAt(folder) }
    copies.push({ repository, uploadedInto: null, users, ...size })
  }
  const uploads = uploadedFolder(clonedReposDir)
  for (const project of await namesIn(uploads)) {
    for (const repository of await namesIn(join(uploads, project))) {
      const folder = join(uploads, project, repository)
      const size = { bytes: await folderBytes(folder), changedAt: await changedAt(folder) }
      copies.push({ repository, uploadedInto: project, users: [{ project, commit: null }], ...size })
    }
  }
  return copies
}

/** Whether there is a folder of the name. */
export async function hasCopy({ clonedReposDir }: Pick<Context, 'clonedReposDir'>, of: RepositoryName) {
  const folder = folderOf(clonedReposDir, of)
  return folder !== null && (await changedAt(folder)) > 0
}

/**
 * Removes a copy unless another project uses it by now, or it has a commit that is not among those that may go. Waits
 * for what writes to it. After a kill there is all of it, or nothing that the next start does not remove.
 *
 * @returns Whether it is gone.
 */
export async function removeCopy(context: Context, request: CopyRemoval, signal: AbortSignal): Promise<boolean> {
  const { clonedReposDir, searchPath, mutexes } = context
  const kept = new Set(request.kept)
  const users = new Set(request.projects)
  async function remove(): Promise<boolean> {
    const folder = folderOf(clonedReposDir, request)
    const contents = folder === null ? null : await contentsOf(folder, request, { searchPath, signal })
    if (folder === null || contents === null) return false // what cannot be read may hold anything
    const { commits, projects } = contents
    if (!commits.every(commit => kept.has(commit)) || !projects.every(project => users.has(project))) return false
    signal.throwIfAborted()
    const trash = join(clonedReposDir, `${TEMPORARY_PREFIX}${randomUUID()}`)
    await rename(folder, trash) // which `sweep` removes where this is interrupted
    await rm(trash, { recursive: true, force: true })
    return true
  }
  return await mutexes.run(request.repository.toLowerCase(), remove, signal)
}
