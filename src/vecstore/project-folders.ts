import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../core/errors.ts'
import { isObject } from '../core/is-object.ts'
import { isProjectName, NO_SETTINGS, type ProjectSettings } from '../core/project.ts'
import { sync, writeAtomically } from './format/durable-files.ts'
import { entriesOf, fileVersion, isMissing, projectFolder } from './format/layout.ts'

const PROJECT_FILE = 'project.json'
const TRASH = '.trash-'
const NEW = '.new-'

const isFolder = async (path: string): Promise<boolean> =>
  stat(path).then(
    stats => stats.isDirectory(),
    () => false,
  )

/** When the project in a folder was made, or nothing where that cannot be read; null when there is no such folder. */
async function createdAt(folder: string): Promise<string | null> {
  try {
    const match = /"created_at"\s*:\s*"([^"]*)"/.exec(await readFile(join(folder, PROJECT_FILE), 'utf8'))
    return match?.[1] ?? ''
  } catch {
    return (await isFolder(folder)) ? '' : null // folders appear with their file: it was lost since
  }
}

const newProjectFile = (project: string, now: Date): string =>
  JSON.stringify({ project_name: project, created_at: now.toISOString() })

const noSuchProject = (project: string): FaultlineError =>
  new FaultlineError(
    'PROJECT_NOT_FOUND',
    `There is no project ${JSON.stringify(project)}.`,
    'GET /projects lists the projects.',
  )

const damagedProjectFile = (project: string, what: string, cause?: unknown): FaultlineError =>
  new FaultlineError(
    'INDEX_INCOMPATIBLE',
    `The project.json of project ${project}, which holds its settings, ${what}.`,
    `POST /clone with the repository's url and "project_name": "${project}" makes the project whole; ` +
      `PATCH /projects/${project} sets its settings again.`,
    { cause },
  )

/** Stored spellings of the projects below `root`, newest project first. */
export async function listProjectFolders(root: string): Promise<string[]> {
  const names = (await entriesOf(root)).filter(isProjectName)
  const found = await Promise.all(names.map(async name => ({ name, createdAt: await createdAt(join(root, name)) })))
  return found
    .flatMap(({ name, createdAt }) => (createdAt === null ? [] : [{ name, createdAt }]))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || a.name.localeCompare(b.name))
    .map(({ name }) => name)
}

/** What `project.json` holds. */
interface ProjectFile {
  project_name: string
  created_at: string
  settings?: ProjectSettings
}

const isProjectFile = (value: unknown): value is ProjectFile =>
  isObject(value) && typeof value.created_at === 'string' && (value.settings === undefined || isObject(value.settings))

/** @throws {FaultlineError} PROJECT_NOT_FOUND; INDEX_INCOMPATIBLE: it is lost or damaged. */
async function readProjectFile(root: string, project: string): Promise<ProjectFile> {
  const folder = projectFolder(root, project)
  try {
    const file: unknown = JSON.parse(await readFile(join(folder, PROJECT_FILE), 'utf8'))
    if (isProjectFile(file)) return file
  } catch (error) {
    if (!(await isFolder(folder))) throw noSuchProject(project)
    throw damagedProjectFile(project, isMissing(error) ? 'is missing' : 'is damaged', error)
  }
  throw damagedProjectFile(project, 'is damaged')
}

/** Writes the file of a project anew whose own is lost. */
async function mendProjectFolder(root: string, project: string, now: Date): Promise<'whole' | 'mended'> {
  try {
    await readProjectFile(root, project)
    return 'whole'
  } catch (error) {
    if (!(error instanceof FaultlineError) || error.code !== 'INDEX_INCOMPATIBLE') throw error
    await writeAtomically(join(projectFolder(root, project), PROJECT_FILE), newProjectFile(project, now))
    return 'mended'
  }
}

/**
 * Makes the folder whole in one rename; does nothing when there is a whole one.
 *
 * @returns What was mended: `mended` where there was a folder whose settings cannot be read any more.
 */
export async function createProjectFolder(root: string, project: string, now: Date): Promise<'whole' | 'mended'> {
  const folder = projectFolder(root, project)
  if (await isFolder(folder)) return await mendProjectFolder(root, project, now)
  const fresh = join(root, `${NEW}${randomBytes(8).toString('hex')}`)
  await mkdir(fresh, { recursive: true, mode: 0o700 })
  await writeAtomically(join(fresh, PROJECT_FILE), newProjectFile(project, now))
  try {
    await rename(fresh, folder)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    if (!(await isFolder(folder))) throw error // otherwise somebody else made it in between
  }
  await sync(root)
  return 'whole'
}

/**
 * Another one after each change of the settings, and for a project that was made anew; null when there is no project.
 */
export const projectVersion = async (root: string, project: string): Promise<string | null> =>
  isProjectName(project) ? await fileVersion(join(root, project, PROJECT_FILE)) : null

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
    throw isMissing(error) ? noSuchProject(project) : error
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

/** What `project.json` says of a project that is known elsewhere, too. */
export interface ProjectOrigin {
  /** When it was made, which tells it from an earlier one of that name; ISO 8601 with milliseconds. */
  createdAt: string
  /** Null where nobody set any. */
  settings: Partial<ProjectSettings> | null
}

const projectFile = (project: string, { createdAt: at, settings }: ProjectOrigin, isShared: boolean): string =>
  JSON.stringify({
    project_name: project,
    created_at: at,
    ...(isShared ? { shared: true } : {}),
    ...(settings === null ? {} : { settings }),
  })

/** What `project.json` says. @throws {FaultlineError} PROJECT_NOT_FOUND; INDEX_INCOMPATIBLE: it is lost or damaged. */
export async function readOrigin(root: string, project: string): Promise<ProjectOrigin> {
  const { created_at: createdAt, settings = null } = await readProjectFile(root, project)
  return { createdAt, settings }
}

/** Makes the folder of a project that was another machine's, and is this one's alone from now on; its index stays. */
export async function adoptProjectFolder(root: string, project: string, origin: ProjectOrigin): Promise<void> {
  await createProjectFolder(root, project, new Date(origin.createdAt))
  await writeAtomically(join(projectFolder(root, project), PROJECT_FILE), projectFile(project, origin, false))
}

/** Whether a folder is the copy of a project that other machines have, too: only then may it go. */
const isShared = (folder: string): Promise<boolean> =>
  readFile(join(folder, PROJECT_FILE), 'utf8').then(
    text => /"shared"\s*:\s*true/.test(text),
    () => false,
  )

/** Projects below `root` that are this machine's alone, with the time that each was made. */
export async function ownProjects(root: string): Promise<Array<{ project: string; createdAt: string }>> {
  const own = []
  for (const project of await listProjectFolders(root)) {
    const folder = join(root, project)
    if (!(await isShared(folder))) own.push({ project, createdAt: (await createdAt(folder)) ?? '' })
  }
  return own
}

const notShared = (project: string): FaultlineError =>
  new FaultlineError(
    'CONFIG_INVALID',
    `This node has a project ${JSON.stringify(project)} of its own, which the other nodes do not know.`,
    '"faultline move --to-cluster" takes the folders of a single machine over into an empty cluster; otherwise give ' +
      'this node empty folders (DATA_DIR, VECTOR_STORE_DIR, CLONED_REPOS_DIR). docs/scale.md says how.',
  )

/** Deletes the folders of a name, in whatever spelling, but for the one that is the same project. */
async function deleteOthers(root: string, project: string, origin: ProjectOrigin | null): Promise<void> {
  for (const name of (await entriesOf(root)).filter(isProjectName)) {
    if (name.toLowerCase() !== project.toLowerCase()) continue
    const made = await createdAt(join(root, name))
    if (made === null || (name === project && made === origin?.createdAt)) continue
    if (!(await isShared(join(root, name)))) throw notShared(name)
    await deleteProjectFolder(root, name)
  }
}

/**
 * Makes the folder of a project what it is elsewhere: a folder of an earlier project of the name goes with its index,
 * and without an origin every folder of the name does.
 *
 * @throws {FaultlineError} CONFIG_INVALID: what would go is this machine's alone.
 */
export async function mirrorProjectFolder(root: string, project: string, origin: ProjectOrigin | null): Promise<void> {
  const path = join(projectFolder(root, project), PROJECT_FILE)
  const wanted = origin === null ? null : projectFile(project, origin, true)
  if (wanted !== null && (await readFile(path, 'utf8').catch(() => null)) === wanted) return
  await deleteOthers(root, project, origin)
  if (origin === null || wanted === null) return
  await createProjectFolder(root, project, new Date(origin.createdAt))
  await writeAtomically(path, wanted)
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
