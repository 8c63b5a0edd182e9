import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import { writeAtomically } from './durable-files.ts'

/** Below the folder of a generation. */
export const SAMPLE = 'fit.sample'

const SQLITE_CANTOPEN = 14
const GENERATION = /^\d{6,15}$/
const UNFINISHED = /^\d{6,15}-[0-9a-f]+\.tmp$/

/** Where the files of one generation lie. */
export interface GenerationPaths {
  folder: string
  catalogue: string
  segments: string
  /** Postings and vectors of one segment. */
  lexical: (segment: number) => string
  embedded: (segment: number) => string
  fit: string
  /** What the fit was learned from: no part of the generation, and its fit travels without it as well. */
  sample: string
  hnsw: string
  manifest: string
}

/**
 * The folder of a project.
 * @throws {FaultlineError} VALIDATION_FAILED for a name that the contract does not allow: it must never become a path.
 */
export function projectFolder(root: string, project: string): string {
  if (!isProjectName(project)) {
    throw new FaultlineError('VALIDATION_FAILED', `${JSON.stringify(project.slice(0, 80))} is not a project name.`)
  }
  return join(root, project)
}

/** Where the files of a generation lie. */
export function generationPaths(projectDir: string, generation: number, suffix = ''): GenerationPaths {
  const folder = join(projectDir, String(generation).padStart(6, '0') + suffix)
  const segments = join(folder, 'segments')
  const nameOf = (segment: number) => String(segment).padStart(6, '0')
  return {
    folder,
    catalogue: join(folder, 'catalogue.sqlite'),
    segments,
    lexical: segment => join(segments, `${nameOf(segment)}.lexical`),
    embedded: segment => join(segments, `${nameOf(segment)}.vectors`),
    fit: join(folder, 'fit.bin'),
    sample: join(folder, SAMPLE),
    hnsw: join(folder, 'vectors.hnsw'),
    manifest: join(folder, 'manifest.json'),
  }
}

/** Whether a file or its folder is not there, as the system or SQLite says it. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false
  return (
    error.code === 'ENOENT' || error.code === 'ENOTDIR' || ('errcode' in error && error.errcode === SQLITE_CANTOPEN)
  )
}

/** Names in a folder; none when there is no such folder. */
export async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Numbers of the finished generations of a project, newest first, whether published or not. */
export async function listGenerations(projectDir: string): Promise<number[]> {
  return (await entriesOf(projectDir))
    .filter(name => GENERATION.test(name))
    .map(Number)
    .sort((a, b) => b - a)
}

/**
 * Tells a file that is replaced by renaming from the one that was there before; null where there is none. Each answer
 * asks some ten times: waking a thread of the pool for it takes twenty times as long as the question.
 */
export async function fileVersion(path: string): Promise<string | null> {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? null : `${found.ino}-${found.mtimeNs}`
  } catch (error) {
    return isMissing(error) ? null : 'unreadable' // a link that leads nowhere, say
  }
}

/**
 * The generation that `CURRENT` names, or null when nothing was published yet. A damaged or missing `CURRENT` stands
 * for the newest folder with a manifest: it is whole, because it got its name when it was.
 */
export async function readCurrent(projectDir: string): Promise<number | null> {
  const text = await readFile(join(projectDir, 'CURRENT'), 'utf8').catch(() => '')
  if (GENERATION.test(text.trim())) return Number(text)
  for (const generation of await listGenerations(projectDir)) {
    if ((await fileVersion(generationPaths(projectDir, generation).manifest)) !== null) return generation
  }
  return null
}

/**
 * Tells one publication from another, or null when there is none. Not the generation's number, which begins again when
 * a project is deleted and made anew.
 */
export const readPublication = (projectDir: string): Promise<string | null> => fileVersion(join(projectDir, 'CURRENT'))

/** Publishes a generation, durably and in one rename. */
export async function writeCurrent(projectDir: string, generation: number): Promise<void> {
  await writeAtomically(join(projectDir, 'CURRENT'), `${String(generation).padStart(6, '0')}\n`)
}

/**
 * A folder to build a generation in. The name is new each time, so that two builds that should not meet at least never
 * write into one folder.
 */
export function unfinishedPaths(projectDir: string, generation: number): GenerationPaths {
  return generationPaths(projectDir, generation, `-${randomBytes(6).toString('hex')}.tmp`)
}

/** Removes what an interrupted build left in a project; must not run beside a build of the same project. */
export async function removeUnfinished(projectDir: string): Promise<void> {
  for (const name of await entriesOf(projectDir)) {
    if (UNFINISHED.test(name) || name === 'CURRENT.tmp') {
      await rm(join(projectDir, name), { recursive: true, force: true })
    }
  }
}

/** Readers that have an old generation open keep it: they hold its files open, and removing those only unlinks them. */
export async function removeGenerations(projectDir: string, generations: number[]): Promise<void> {
  for (const generation of generations) {
    await rm(generationPaths(projectDir, generation).folder, { recursive: true, force: true })
  }
}

/** An error that `isMissing` knows. */
export function missing(name: string): Error {
  return Object.assign(new Error(`${name} is missing.`), { code: 'ENOENT' })
}
