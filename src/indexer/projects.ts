import { FULL_ACCESS, seesProject, type Access } from '../core/access.ts'
import { FaultlineError } from '../core/errors.ts'
import { projectNotFound } from '../core/not-found.ts'
import {
  isProjectName,
  isSameEmbedder,
  NO_SETTINGS,
  type EmbeddingInfo,
  type ForeignManifest,
  type History,
  type IndexedRepository,
  type ProjectInfo,
  type ProjectSettings,
  type PublishedManifest,
  uncommittedFiles,
} from '../core/project.ts'
import { intervalMs, SYNC_BOUNDS } from '../core/interval.ts'
import { rememberVersion } from '../core/remember-version.ts'
import type { IndexState } from '../core/resolution.ts'
import type { Store } from '../vecstore/store.ts'
import { createGlobTest } from './path-globs.ts'

/** Where projects lie, and who knows what works on them. */
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

function sumCounts(counts: Array<Record<string, number>>): Record<string, number> {
  const sums = new Map<string, number>()
  for (const [reason, count] of counts.flatMap(entry => Object.entries(entry))) {
    sums.set(reason, (sums.get(reason) ?? 0) + count)
  }
  return Object.fromEntries(sums)
}

/** Whether an error says that files of a project cannot be used. */
export const isDamaged = (error: unknown): error is FaultlineError =>
  error instanceof FaultlineError && error.code === 'INDEX_INCOMPATIBLE'

/** The error for a project that a job works on. */
export const projectBusy = (name: string): FaultlineError =>
  new FaultlineError(
    'PROJECT_BUSY',
    `A job works on the project ${JSON.stringify(name)}.`,
    'Wait for it, or end it with POST /jobs/{id}/cancel.',
  )

function indexNotReady(message: string, fix: string): FaultlineError {
  return new FaultlineError('INDEX_NOT_READY', message, fix)
}

function embeddingOf({ provider, model, dimensions }: EmbeddingInfo): EmbeddingInfo {
  return { provider, model, dimensions }
}

/** @throws {FaultlineError} VALIDATION_FAILED */
function checkSync(sync: ProjectSettings['sync'] | undefined): void {
  if (sync === undefined || sync === null) return
  const ms = intervalMs(sync.every)
  if (ms !== null && ms >= SYNC_BOUNDS.minMs && ms <= SYNC_BOUNDS.maxMs) return
  throw new FaultlineError(
    'VALIDATION_FAILED',
    `sync.every is ${JSON.stringify(sync.every)}: expected a time ${SYNC_BOUNDS.words}.`,
    'Send {"sync": {"every": "15m"}}, or null for never.',
  )
}

/** Why a project's repositories do not say which one is meant. */
function ambiguous(projectName: string, repositories: readonly IndexedRepository[], named?: string): FaultlineError {
  const names = repositories.map(one => one.repository).join(', ')
  const project = `The project ${JSON.stringify(projectName)} holds`
  return new FaultlineError(
    'VALIDATION_FAILED',
    named === undefined
      ? `${project} several repositories: ${names}.`
      : `${project} no repository ${JSON.stringify(named)}, but ${names}.`,
    'Name one of them with "repository".',
  )
}

/** What was read, or `otherwise` together with what is wrong and what mends it. */
async function unlessDamaged<T>(
  reading: Promise<T>,
  otherwise: T,
): Promise<{ value: T; problem: ProjectInfo['problem'] }> {
  try {
    return { value: await reading, problem: null }
  } catch (error) {
    if (!isDamaged(error)) throw error
    return { value: otherwise, problem: { detail: error.message, fix: error.fix ?? '' } }
  }
}

/** A graph whose recall was measured may be there, but not what reads it. */
function recallOf(manifest: PublishedManifest | ForeignManifest | null, search: ProjectInfo['search']): number | null {
  if (manifest === null || manifest.indexState === 'foreign' || manifest.annRecall === null) return null
  return search === 'exact' ? 1 : manifest.annRecall
}

/**
 * Projects as clients see them: counts come from the published manifest, states from the jobs, never from memory.
 */
export class Projects {
  readonly #deps: ProjectsDeps
  /**
   * For answers, which are many. Who asks for a project itself learns of a manifest that was damaged since, too.
   */
  readonly #rememberedManifest: (name: string) => Promise<PublishedManifest | ForeignManifest | null>

  constructor(deps: ProjectsDeps) {
    this.#deps = deps
    this.#rememberedManifest = rememberVersion(deps.store.publication, deps.store.readManifest)
  }

  /** The stored spelling of a project's name. @throws {FaultlineError} PROJECT_NOT_FOUND */
  async need(name: string): Promise<string> {
    const stored = isProjectName(name) ? await this.#deps.store.findProject(name) : null
    if (stored === null) throw projectNotFound(name)
    return stored
  }

  /** The stored spelling of a name that differs at most in case, or the name itself when it is new. */
  async canonicalName(name: string): Promise<string> {
    return (await this.#deps.store.findProject(name)) ?? name
  }

  async get(name: string): Promise<ProjectInfo> {
    return await this.#describe(await this.need(name))
  }

  /**
   * Lists the projects that exist for somebody, newest first; `after` is the last name of the page before. A project
   * that is deleted meanwhile is left out.
   */
  async list(
    limit: number,
    after: string | null,
    access: Pick<Access, 'projects'> = FULL_ACCESS,
  ): Promise<{ projects: ProjectInfo[]; next: string | null }> {
    const names = (await this.#deps.store.listProjects()).filter(name => seesProject(access, name))
    const from = after === null ? 0 : names.indexOf(after) + 1
    if (after !== null && from === 0) {
      throw new FaultlineError(
        'VALIDATION_FAILED',
        'The project that the last page ended with is gone.',
        'Begin again without a cursor.',
      )
    }
    const page = names.slice(from, from + limit)
    const projects = await Promise.all(page.map(name => this.#describe(name)))
    const [last = null] = page.slice(-1)
    return { projects, next: names.length > from + limit ? last : null }
  }

  async settings(name: string): Promise<ProjectSettings> {
    return await this.#deps.store.readSettings(await this.need(name))
  }

  /**
   * Changes the settings that are given; they hold from the next request on. @throws {FaultlineError}
   * PROJECT_NOT_FOUND, VALIDATION_FAILED
   */
  async change(name: string, changes: Partial<ProjectSettings>): Promise<ProjectInfo> {
    const { store } = this.#deps
    const projectName = await this.need(name)
    createGlobTest(changes.inAppExclude ?? []) // throws for a glob that cannot be used
    checkSync(changes.sync)
    await store.writeSettings(projectName, { ...(await store.readSettings(projectName)), ...changes })
    return await this.#describe(projectName)
  }

  /**
   * State of the index for an answer that is about to be made. @throws {FaultlineError} PROJECT_NOT_FOUND,
   * INDEX_NOT_READY
   */
  async needIndex(name: string): Promise<{ projectName: string; indexState: IndexState }> {
    const projectName = await this.need(name)
    const indexState = await this.#stateOf(projectName, await this.#rememberedManifest(projectName))
    if (indexState === 'cloning') {
      throw indexNotReady(
        `The project ${JSON.stringify(projectName)} is being cloned for the first time.`,
        'GET /jobs?type=clone shows how far it is; try again when it has succeeded.',
      )
    }
    if (indexState === 'failed') {
      throw indexNotReady(
        `The project ${JSON.stringify(projectName)} has no index: its clone did not succeed.`,
        'GET /jobs?type=clone says why; POST /clone tries again.',
      )
    }
    return { projectName, indexState }
  }

  /**
   * The commit that is indexed of the project's repository.
   *
   * @param repository - Needed where the project holds several.
   * @throws {FaultlineError} PROJECT_NOT_FOUND, INDEX_NOT_READY, VALIDATION_FAILED
   */
  async commitOf(name: string, repository?: string): Promise<{ repository: string; commit: string }> {
    const { repository: named, commit } = await this.sourceOf(name, repository)
    return { repository: named, commit }
  }

  /** What is indexed of a project's repository: where it comes from, and which branch is followed. As `commitOf`. */
  async sourceOf(name: string, repository?: string): Promise<IndexedRepository> {
    const projectName = await this.need(name)
    const repositories = (await this.#rememberedManifest(projectName))?.repositories ?? []
    const fitting = repositories.filter(one => repository === undefined || one.repository === repository)
    const [only] = fitting
    if (only !== undefined && fitting.length === 1) return only
    if (repositories.length === 0) {
      throw indexNotReady(`The project ${JSON.stringify(projectName)} has no index.`, 'POST /clone makes one.')
    }
    throw ambiguous(projectName, repositories, repository)
  }

  /**
   * The commit that stands for the project where work is done on commits alone; undefined where its index holds
   * nothing else.
   */
  async committedRef(name: string): Promise<string | undefined> {
    const repositories = (await this.#rememberedManifest(await this.need(name)))?.repositories ?? []
    return repositories.find(({ uncommitted }) => uncommitted !== undefined)?.commit
  }

  /** Whether a job that clones or indexes the project is queued or runs. */
  async isCloning(name: string): Promise<boolean> {
    return await this.#deps.isCloning(name)
  }

  /** Number of chunks in the published index; 0 where nothing is. Cheap. */
  async chunksOf(name: string): Promise<number> {
    return (await this.#rememberedManifest(name))?.chunksTotal ?? 0
  }

  /**
   * Deletes the index, and the clones that no other project uses. @throws {FaultlineError} PROJECT_NOT_FOUND,
   * PROJECT_BUSY
   */
  async remove(name: string): Promise<void> {
    const projectName = await this.need(name)
    if (await this.#deps.isBusy(projectName)) {
      throw projectBusy(projectName)
    }
    await this.#deps.store.deleteProject(projectName)
    await this.#deps.releaseClones(projectName)
  }

  async #stateOf(name: string, manifest: PublishedManifest | ForeignManifest | null): Promise<IndexState> {
    const { isCloning, embedding } = this.#deps
    if (manifest === null || manifest.chunksTotal === 0) return (await isCloning(name)) ? 'cloning' : 'failed'
    return manifest.indexState === 'foreign' || !isSameEmbedder(manifest.embedding, embedding)
      ? 'degraded'
      : manifest.indexState
  }

  async #describe(name: string): Promise<ProjectInfo> {
    const { store, historyOf } = this.#deps
    // what is damaged has to be made again: it must not take the list of projects with it
    const [{ value: manifest, problem: inManifest }, storeBytes, { value: settings, problem: inSettings }] =
      await Promise.all([
        unlessDamaged(store.readManifest(name), null),
        store.storeBytes(name),
        unlessDamaged(store.readSettings(name), NO_SETTINGS),
      ])
    const problem = inSettings ?? inManifest
    const indexed = manifest?.repositories ?? []
    const repositories = await Promise.all(
      indexed.map(async ({ repository, url, branch, commit, uncommitted, indexedAt }) => ({
        repository,
        url,
        branch,
        commit,
        ...uncommittedFiles(uncommitted),
        indexedAt,
        history: await historyOf(repository),
      })),
    )
    const search = store.searchOf(manifest)
    const hasVectors = manifest !== null && manifest.embedding.dimensions > 0
    return {
      projectName: name,
      indexState: problem === null ? await this.#stateOf(name, manifest) : 'failed',
      problem,
      repositories,
      filesIndexed: manifest?.filesIndexed ?? 0,
      filesSkipped: sumCounts(indexed.map(repository => repository.filesSkipped)),
      chunksTotal: manifest?.chunksTotal ?? 0,
      languages: manifest?.languages ?? {},
      embedding: hasVectors ? embeddingOf(manifest.embedding) : null,
      annRecall: recallOf(manifest, search),
      search,
      storeBytes,
      ...settings,
    }
  }
}
