import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../core/errors.ts'
import { isProjectName, NO_SETTINGS, type ProjectSettings } from '../core/project.ts'
import { sync, writeAtomically } from './format/durable-files.ts'
import { entriesOf, fileVersion, isMissing, projectFolder } from './format/layout.ts'

const PROJECT_FILE = 'project.json'
const TRASH = '.trash-'
const NEW = '.new-'

/** When the project in a folder was made; null when there is no project in it. */
async function createdAt(folder: string): Promise<string | null> {
  try {
    const match = /"created_at"\s*:\s*"([^"]*)"/.exec(await readFile(join(folder, PROJECT_FILE), 'utf8'))
    return match?.[1] ?? '' // a damaged file is still a project's
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Stored spellings of the projects below `root`, newest project first. */
export async function listProjectFolders(root: string): Promise<string[]> {
  const names = (await entriesOf(root)).filter(isProjectName)
  const found = await Promise.all(names.map(async name => ({ name, createdAt: await createdAt(join(root, name)) })))
  return found
    .flatMap(({ name, createdAt }) => (createdAt === null ? [] : [{ name, createdAt }]))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || a.name.localeCompare(b.name))
    .map(({ name }) => name)
}

/** Makes the folder whole in one rename; does nothing when there is one. */
export async function createProjectFolder(root: string, project: string, now: Date): Promise<void> {
  const folder = projectFolder(root, project)
  if ((await createdAt(folder)) !== null) return
  const fresh = join(root, `${NEW}${randomBytes(8).toString('hex')}`)
  await mkdir(fresh, { recursive: true, mode: 0o700 })
  await writeAtomically(
    join(fresh, PROJECT_FILE),
    JSON.stringify({ project_name: project, created_at: now.toISOString() }),
  )
  try {
    await rename(fresh, folder)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    if ((await createdAt(folder)) === null) throw error // otherwise somebody else made it in between
  }
  await sync(root)
}

/** What `project.json` holds. */
interface ProjectFile {
  project_name: string
  created_at: string
  settings?: ProjectSettings
}

/**
 * Another one after each change of the settings, and for a project that was made anew; null when there is no project.
 */
export const projectVersion = async (root: string, project: string): Promise<string | null> =>
  isProjectName(project) ? await fileVersion(join(root, project, PROJECT_FILE)) : null

/** @throws {FaultlineError} PROJECT_NOT_FOUND */
async function readProjectFile(root: string, project: string): Promise<ProjectFile> {
  try {
    return JSON.parse(await readFile(join(projectFolder(root, project), PROJECT_FILE), 'utf8')) as ProjectFile
  } catch (error) {
    if (isMissing(error)) {
      throw new FaultlineError(
        'PROJECT_NOT_FOUND',
        `There is no project ${JSON.stringify(project)}.`,
        'GET /projects lists the projects.',
      )
    }
    throw error
  }
}

/** The settings of a project, those that were never set by default. @throws {FaultlineError} PROJECT_NOT_FOUND */
export async function readSettings(root: string, project: string): Promise<ProjectSettings> {
  return { ...NO_SETTINGS, ...(await readProjectFile(root, project)).settings }
}

/** Replaces the settings as a whole, in one rename. */
export async function writeSettings(root: string, project: string, settings: ProjectSettings): Promise<void> {
  const file = await readProjectFile(root, project)
  await writeAtomically(join(projectFolder(root, project), PROJECT_FILE), JSON.stringify({ ...file, settings }))
}

/** Moves the folder out of sight first, so that a kill leaves a whole project or none. */
export async function deleteProjectFolder(root: string, project: string): Promise<void> {
  const trash = join(root, `${TRASH}${randomBytes(8).toString('hex')}`)
  try {
    await rename(projectFolder(root, project), trash)
  } catch (error) {
    if (isMissing(error)) {
      throw new FaultlineError(
        'PROJECT_NOT_FOUND',
        `There is no project ${JSON.stringify(project)}.`,
        'GET /projects lists the projects.',
      )
    }
    throw error
  }
  await sync(root)
  await rm(trash, { recursive: true, force: true, maxRetries: 3 })
}

/** Removes projects that were being made or deleted when their process was killed. */
export async function sweepProjectFolders(root: string): Promise<void> {
  for (const name of await entriesOf(root)) {
    if (name.startsWith(TRASH) || name.startsWith(NEW)) {
      await rm(join(root, name), { recursive: true, force: true, maxRetries: 3 })
    }
  }
}

/** A file's size, with an id that all its hard links share. */
async function sizeOf(path: string): Promise<[file: string, bytes: number]> {
  try {
    const { dev, ino, size } = await stat(path, { bigint: true })
    return [`${dev}:${ino}`, Number(size)]
  } catch (error) {
    if (isMissing(error)) return [path, 0]
    throw error
  }
}

/**
 * Bytes that all files below a folder take: what generations share counts once, files that go meanwhile count nothing.
 */
export async function bytesBelow(folder: string): Promise<number> {
  let entries
  try {
    entries = await readdir(folder, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
  const sizes = await Promise.all(
    entries.filter(entry => entry.isFile()).map(entry => sizeOf(join(entry.parentPath, entry.name))),
  )
  return [...new Map(sizes).values()].reduce((sum, size) => sum + size, 0)
}
