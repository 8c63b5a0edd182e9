import type { JobContext } from '../../../jobs/job-context.ts'
import type { Sandbox } from '../../../sandbox/sandbox.ts'
import { readKept } from './kept-files.ts'

/**
 * The files that a job starts from: sent with the request, or those of a project's commit. They never change, so a
 * replay reads the same.
 */
export interface BaseFiles {
  /** Null where there is no repository. */
  commit: string | null
  paths(): Promise<readonly string[]>
  /** Null for a file that is not there, or that is no text. */
  read(path: string): Promise<string | null>
  /** Puts all of them but some into a workspace. */
  place(dir: string, without: ReadonlySet<string>): Promise<void>
  /** Why git does not take a diff against the commit, null when it does; only a base from a project has it. */
  whyDiffFails?(diff: string): Promise<string | null>
}

/** What a job has made of its base so far: plain JSON, for steps. The texts are among the job's files. */
export type Changes = { changed: string[]; deleted: string[] }

/** The changes of a job that has made none yet. */
export const NO_CHANGES: Changes = { changed: [], deleted: [] }

/** The files that were sent with a request, as a base. */
export function sentFiles(files: ReadonlyMap<string, string>, { fill }: Pick<Sandbox, 'fill'>): BaseFiles {
  return {
    commit: null,
    paths: async () => [...files.keys()],
    read: async path => files.get(path) ?? null,
    place: (dir, without) => fill(dir, new Map([...files].filter(([path]) => !without.has(path)))),
  }
}

/** The files of the job itself, for what comes after the last change of them. */
export function keptFiles(job: Pick<JobContext, 'files'>, { fill }: Pick<Sandbox, 'fill'>): BaseFiles {
  const read = async (path: string): Promise<string> => (await job.files.read(path)).toString()
  return {
    commit: null,
    paths: async () => (await job.files.list()).map(({ path }) => path),
    read,
    place: async (dir, without) =>
      fill(dir, new Map([...(await readKept(job))].filter(([path]) => !without.has(path)))),
  }
}

/**
 * The files of the job as they are at this point of it, for what is going to change them: their names and hashes are
 * stored, their contents are kept as it is.
 */
export async function snapshotFiles(
  { files, step }: Pick<JobContext, 'files' | 'step'>,
  { fill }: Pick<Sandbox, 'fill'>,
): Promise<BaseFiles> {
  const kept = new Map((await step('snapshot', () => files.list())).map(file => [file.path, file]))
  async function read(path: string): Promise<string | null> {
    const file = kept.get(path)
    return file === undefined ? null : (await files.readVersion(file)).toString()
  }
  return {
    commit: null,
    paths: async () => [...kept.keys()],
    read,
    async place(dir, without) {
      const placed = new Map<string, Buffer>()
      for (const [path, file] of kept) if (!without.has(path)) placed.set(path, await files.readVersion(file))
      await fill(dir, placed)
    },
  }
}

/** The files as they are now. To be read within steps, whose outputs say what the changes are. */
export interface CurrentFiles {
  paths(): Promise<string[]>
  read(path: string): Promise<string | null>
  readAll(paths: Iterable<string>): Promise<Map<string, string>>
}

/** The base with the changes over it. */
export function currentFiles(
  { files }: Pick<JobContext, 'files'>,
  base: BaseFiles,
  { changed, deleted }: Changes,
): CurrentFiles {
  const [own, gone] = [new Set(changed), new Set(deleted)]
  async function read(path: string): Promise<string | null> {
    if (own.has(path)) return (await files.read(path)).toString()
    return gone.has(path) ? null : base.read(path)
  }
  return {
    read,
    paths: async () => [...new Set([...(await base.paths()).filter(path => !gone.has(path)), ...own])].sort(),
    async readAll(paths) {
      const texts = new Map<string, string>()
      for (const path of paths) {
        const text = await read(path)
        if (text !== null) texts.set(path, text)
      }
      return texts
    },
  }
}

/** Changes of some files, and those of all others. */
export function splitChanges(
  { changed, deleted }: Changes,
  paths: readonly string[],
): { first: Changes; rest: Changes } {
  const isFirst = (path: string): boolean => paths.includes(path)
  const isOther = (path: string): boolean => !isFirst(path)
  return {
    first: { changed: changed.filter(isFirst), deleted: deleted.filter(isFirst) },
    rest: { changed: changed.filter(isOther), deleted: deleted.filter(isOther) },
  }
}

/** Changes after more of them; what is again as it was in the base counts as changed, the diff shows nothing of it. */
export function addChanges(before: Changes, more: Changes): Changes {
  const changed = new Set([...before.changed.filter(path => !more.deleted.includes(path)), ...more.changed])
  const deleted = new Set([...before.deleted, ...more.deleted].filter(path => !more.changed.includes(path)))
  return { changed: [...changed].sort(), deleted: [...deleted].sort() }
}
