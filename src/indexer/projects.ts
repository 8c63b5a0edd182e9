import { FaultlineError } from '../core/errors.ts'
import {
  isProjectName,
  isSameEmbedder,
  type EmbeddingInfo,
  type ForeignManifest,
  type History,
  type IndexedRepository,
  type ProjectSettings,
  type PublishedManifest,
} from '../core/project.ts'
import { rememberVersion } from '../core/remember-version.ts'
import type { IndexState } from '../core/resolution.ts'
import type { Store } from '../vecstore/store.ts'
import { createGlobTest } from './path-globs.ts'

export interface ProjectInfo extends ProjectSettings {
  projectName: string
  indexState: IndexState
  repositories: Array<
    Pick<IndexedRepository, 'repository' | 'url' | 'branch' | 'commit' | 'indexedAt'> & { history: History }
  >
  filesIndexed: number
  filesSkipped: Record<string, number>
  chunksTotal: number
  languages: Record<string, number>
  /** Null while there are no vectors. */
  embedding: EmbeddingInfo | null
  annRecall: number | null
  storeBytes: number
}

export interface ProjectsDeps {
  store: Store
  historyOf: (repository: string) => Promise<History>
  /** Gives up the clones that the project holds. */
  releaseClones: (projectName: string) => Promise<void>
  /** Whether any job of this project is queued, running or waiting. */
  isBusy: (projectName: string) => Promise<boolean>
  /** Whether a job that clones or indexes it is. */
  isCloning: (projectName: string) => Promise<boolean>
  /** The embedding that queries are made with. */
  embedding: { provider: 'local' | 'api'; model: string }
}

export type Projects = ReturnType<typeof createProjects>

function sumCounts(counts: Array<Record<string, number>>): Record<string, number> {
  const sums = new Map<string, number>()
  for (const [reason, count] of counts.flatMap(entry => Object.entries(entry))) {
    sums.set(reason, (sums.get(reason) ?? 0) + count)
  }
  return Object.fromEntries(sums)
}

/**
 * What clients see of the projects: counts come from the published manifest, states from the jobs, never from memory.
 */
export function createProjects({ store, historyOf, releaseClones, isBusy, isCloning, embedding }: ProjectsDeps) {
  /**
   * For answers, which are many; whoever looks at a project itself is told of a manifest that was damaged since, too.
   */
  const rememberedManifest = rememberVersion(store.publication, store.readManifest)

  async function need(name: string): Promise<string> {
    const stored = isProjectName(name) ? await store.findProject(name) : null
    if (stored === null) {
      throw new FaultlineError(
        'PROJECT_NOT_FOUND',
        `There is no project ${JSON.stringify(name)}.`,
        'GET /projects lists the projects; POST /clone makes one.',
      )
    }
    return stored
  }

  async function stateOf(name: string, manifest: PublishedManifest | ForeignManifest | null): Promise<IndexState> {
    if (manifest === null || manifest.chunksTotal === 0) return (await isCloning(name)) ? 'cloning' : 'failed'
    return manifest.indexState === 'foreign' || !isSameEmbedder(manifest.embedding, embedding)
      ? 'degraded'
      : manifest.indexState
  }

  /** A damaged index is one that has to be made again: it must not take the list of projects with it. */
  async function readableManifest(name: string): Promise<PublishedManifest | ForeignManifest | null> {
    try {
      return await store.readManifest(name)
    } catch (error) {
      if (error instanceof FaultlineError && error.code === 'INDEX_INCOMPATIBLE') return null
      throw error
    }
  }

  async function describe(name: string): Promise<ProjectInfo> {
    const [manifest, storeBytes, settings] = await Promise.all([
      readableManifest(name),
      store.storeBytes(name),
      store.readSettings(name),
    ])
    const repositories = await Promise.all(
      (manifest?.repositories ?? []).map(async ({ repository, url, branch, commit, indexedAt }) => ({
        repository,
        url,
        branch,
        commit,
        indexedAt,
        history: await historyOf(repository),
      })),
    )
    return {
      projectName: name,
      indexState: await stateOf(name, manifest),
      repositories,
      filesIndexed: manifest?.filesIndexed ?? 0,
      filesSkipped: sumCounts((manifest?.repositories ?? []).map(repository => repository.filesSkipped)),
      chunksTotal: manifest?.chunksTotal ?? 0,
      languages: manifest?.languages ?? {},
      embedding:
        manifest === null || manifest.embedding.dimensions === 0
          ? null
          : {
              provider: manifest.embedding.provider,
              model: manifest.embedding.model,
              dimensions: manifest.embedding.dimensions,
            },
      annRecall: manifest === null || manifest.indexState === 'foreign' ? null : manifest.annRecall,
      storeBytes,
      ...settings,
    }
  }

  return {
    need,
    /** The stored spelling of a name that differs at most in case, or the name itself when it is new. */
    canonicalName: async (name: string): Promise<string> => (await store.findProject(name)) ?? name,

    get: async (name: string): Promise<ProjectInfo> => describe(await need(name)),

    /** Newest first; `after` is the last name of the page before. A project that is deleted meanwhile is left out. */
    async list(limit: number, after: string | null): Promise<{ projects: ProjectInfo[]; next: string | null }> {
      const names = await store.listProjects()
      const from = after === null ? 0 : names.indexOf(after) + 1
      if (after !== null && from === 0) {
        throw new FaultlineError(
          'VALIDATION_FAILED',
          'The project that the last page ended with is gone.',
          'Begin again without a cursor.',
        )
      }
      const page = names.slice(from, from + limit)
      const projects = await Promise.all(page.map(describe))
      return { projects, next: names.length > from + limit ? (page.at(-1) ?? null) : null }
    },

    settings: async (name: string): Promise<ProjectSettings> => store.readSettings(await need(name)),

    /**
     * Changes the settings that are given; they hold from the next request on. @throws {FaultlineError}
     * PROJECT_NOT_FOUND, VALIDATION_FAILED
     */
    async change(name: string, changes: Partial<ProjectSettings>): Promise<ProjectInfo> {
      const projectName = await need(name)
      createGlobTest(changes.inAppExclude ?? []) // throws for a glob that cannot be used
      await store.writeSettings(projectName, { ...(await store.readSettings(projectName)), ...changes })
      return describe(projectName)
    },

    /**
     * State of the index for an answer that is about to be made. @throws {FaultlineError} PROJECT_NOT_FOUND,
     * INDEX_NOT_READY
     */
    async needIndex(name: string): Promise<{ projectName: string; indexState: IndexState }> {
      const projectName = await need(name)
      const indexState = await stateOf(projectName, await rememberedManifest(projectName))
      if (indexState === 'cloning') {
        throw new FaultlineError(
          'INDEX_NOT_READY',
          `The project ${JSON.stringify(projectName)} is being cloned for the first time.`,
          'GET /jobs?type=clone shows how far it is; try again when it has succeeded.',
        )
      }
      if (indexState === 'failed') {
        throw new FaultlineError(
          'INDEX_NOT_READY',
          `The project ${JSON.stringify(projectName)} has no index: its clone did not succeed.`,
          'GET /jobs?type=clone says why; POST /clone tries again.',
        )
      }
      return { projectName, indexState }
    },

    /**
     * The commit that is indexed of the project's repository.
     *
     * @param repository - Needed where the project holds several.
     * @throws {FaultlineError} PROJECT_NOT_FOUND, INDEX_NOT_READY, VALIDATION_FAILED
     */
    async commitOf(name: string, repository?: string): Promise<{ repository: string; commit: string }> {
      const projectName = await need(name)
      const repositories = (await rememberedManifest(projectName))?.repositories ?? []
      const fitting =
        repository === undefined ? repositories : repositories.filter(one => one.repository === repository)
      const [only] = fitting
      if (only !== undefined && fitting.length === 1) return { repository: only.repository, commit: only.commit }
      if (repositories.length === 0) {
        throw new FaultlineError(
          'INDEX_NOT_READY',
          `The project ${JSON.stringify(projectName)} has no index.`,
          'POST /clone makes one.',
        )
      }
      const names = repositories.map(one => one.repository).join(', ')
      throw new FaultlineError(
        'VALIDATION_FAILED',
        repository === undefined
          ? `The project ${JSON.stringify(projectName)} holds several repositories: ${names}.`
          : `The project ${JSON.stringify(projectName)} holds no repository ${JSON.stringify(repository)}, but ${names}.`,
        'Name one of them with "repository".',
      )
    },

    /** Of what is published; 0 where nothing is. Cheap. */
    chunksOf: async (name: string): Promise<number> => (await rememberedManifest(name))?.chunksTotal ?? 0,

    /**
     * Deletes the index, and the clones that no other project uses. @throws {FaultlineError} PROJECT_NOT_FOUND,
     * PROJECT_BUSY
     */
    async remove(name: string): Promise<void> {
      const projectName = await need(name)
      if (await isBusy(projectName)) {
        throw new FaultlineError(
          'PROJECT_BUSY',
          `A job works on the project ${JSON.stringify(projectName)}.`,
          'Wait for it, or end it with POST /jobs/{id}/cancel.',
        )
      }
      await store.deleteProject(projectName)
      await releaseClones(projectName)
    },
  }
}
