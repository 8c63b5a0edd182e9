import { join } from 'node:path'
import { isProjectName } from '../../core/project.ts'
import { openRemote, type RemoteOptions, type RemoteSession } from '../remote/remote-session.ts'
import { parseRepositoryUrl, type RepositoryUrl, type UrlPolicy } from '../remote/repository-url.ts'

/** A repository that was uploaded into a project. */
export interface UploadedName {
  projectName: string
  repository: string
}

/** Uploaded files, until their jobs have read them; no clone's name begins with a dot. */
export const uploadsFolder = (clonedReposDir: string): string => join(clonedReposDir, '.uploads')

/** What was uploaded, as repositories that clones fetch from. */
export const uploadedFolder = (clonedReposDir: string): string => join(clonedReposDir, '.uploaded')

/** The repositories that were uploaded into one project. */
export const uploadedProject = (clonedReposDir: string, projectName: string): string =>
  join(uploadedFolder(clonedReposDir), projectName.toLowerCase())

/** Whether a remote is no place that anything could be fetched from anew, or pushed to. */
export const isUploaded = (url: string): boolean => url.startsWith('upload://')

/** The remote of an uploaded repository, whose names were checked. */
export function uploadedRemote(clonedReposDir: string, { projectName, repository }: UploadedName): RepositoryUrl {
  const url = `upload://${projectName}/${repository}`
  const path = join(uploadedProject(clonedReposDir, projectName), repository.toLowerCase())
  return { kind: 'local', url, identity: url.toLowerCase(), host: null, port: null, path, repository }
}

function uploadedNameOf(url: string): UploadedName | null {
  const [projectName = '', repository = '', ...more] = url.slice('upload://'.length).split('/')
  return more.length === 0 && isProjectName(projectName) && isProjectName(repository)
    ? { projectName, repository }
    : null
}

/**
 * Opens the remote that a clone came from: checked again, or that of an upload, which is a folder of our own.
 *
 * @throws {FaultlineError} What `parseRepositoryUrl` and `openRemote` throw.
 */
export async function openKnownRemote(
  url: string,
  context: RemoteOptions & UrlPolicy,
  signal: AbortSignal,
): Promise<RemoteSession> {
  const name = isUploaded(url) ? uploadedNameOf(url) : null
  if (name === null) return await openRemote(await parseRepositoryUrl(url, context), context, signal)
  const { clonedReposDir } = context
  const own = { ...context, allowLocalRepos: [uploadedFolder(clonedReposDir)] }
  return await openRemote(uploadedRemote(clonedReposDir, name), own, signal)
}
