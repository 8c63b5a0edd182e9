import type { ProjectAnswer } from '../contract/project.ts'
import type { CamelCased } from '../contract/wire.ts'

const PROJECT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])

/** Whether a name may become a folder on every file system; two names that differ only in case are one project. */
export function isProjectName(name: string): boolean {
  return (
    PROJECT_NAME.test(name) &&
    !name.endsWith('.') &&
    !name.toLowerCase().endsWith('.git') &&
    !DEVICE_NAME.test(name) &&
    !RESERVED.has(name.toLowerCase())
  )
}

/** A project name made from a repository's name, or null when nothing usable is left of it. */
export function projectNameFrom(repository: string): string | null {
  const name = repository
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .replace(/(?<![.])[.]+$/, '')
    .slice(0, 64)
  return isProjectName(name) ? name : null
}

/** An index of so many chunks takes some 300 MB in each thread that has it open: it is opened once only. */
export const LARGE_CHUNKS = 100_000

/** Whether a clone holds its last commit only, or a year of history. */
export type History = ProjectAnswer['repositories'][number]['history']

/** Why a tracked file is not in the index. */
export type SkipReason =
  | 'ignored'
  | 'binary'
  | 'too_large'
  | 'minified'
  | 'lock_file'
  | 'secret'
  | 'not_utf8'
  | 'unsupported'
  | 'excluded'
  | 'symlink'
  | 'submodule'
  | 'unsafe_path'
  | 'too_many'

/** What a work tree holds beyond a commit, as a commit of ours on top of that one. */
export interface UncommittedChanges {
  commit: string
  /** How many files differ. */
  files: number
}

/** The commit whose files are in an index. */
export const commitIndexed = ({ commit, uncommitted }: Pick<IndexedRepository, 'commit' | 'uncommitted'>): string =>
  uncommitted?.commit ?? commit

/** How many files differ from the commit, as answers have it. */
export const uncommittedFiles = (changes: UncommittedChanges | undefined): { uncommittedFiles?: number } =>
  changes === undefined ? {} : { uncommittedFiles: changes.files }

/** The same of all repositories of an index together. */
export function uncommittedFilesOf(
  repositories: ReadonlyArray<Pick<IndexedRepository, 'uncommitted'>>,
): ReturnType<typeof uncommittedFiles> {
  const files = repositories.reduce((sum, { uncommitted }) => sum + (uncommitted?.files ?? 0), 0)
  return files === 0 ? {} : { uncommittedFiles: files }
}

/** What one published generation knows of one repository. */
export interface IndexedRepository {
  repository: string
  url: string
  branch: string | null
  commit: string
  /** The commit of ours that was indexed in its place: it holds as many files that are not committed. */
  uncommitted?: UncommittedChanges
  indexedAt: string
  filesIndexed: number
  filesSkipped: Partial<Record<SkipReason, number>>
  include: string[]
  exclude: string[]
}

/** A project as clients see it, in camelCase. */
export type ProjectInfo = CamelCased<ProjectAnswer>

/** What the vectors of an index were made with. */
export type EmbeddingInfo = NonNullable<ProjectInfo['embedding']>

/** What came of indexing one commit. Counts are of this repository, not of the whole project. */
export interface IndexResult {
  filesIndexed: number
  filesSkipped: Partial<Record<SkipReason, number>>
  /** Chunks of files that are new or changed, and of files that are gone or were changed. */
  chunksAdded: number
  chunksRemoved: number
  chunksTotal: number
  languages: Record<string, number>
  embedding: EmbeddingInfo
  commit: string
  /** The published generation that holds it. */
  generation: number
  timingsMs: { read: number; chunk: number; embed: number; store: number }
}

/** Describes one published generation of a project's index; stored beside it as `manifest.json`. */
export interface Manifest {
  formatVersion: number
  generation: number
  publishedAt: string
  /** No dimensions and an empty `fitId` while there are no vectors. */
  embedding: EmbeddingInfo & { fitId: string }
  chunker: string
  repositories: IndexedRepository[]
  filesIndexed: number
  chunksTotal: number
  /** Files by language, e.g. `{ python: 50 }`. */
  languages: Record<string, number>
}

/** A manifest with what can be asked of a published generation beyond its content. */
export interface PublishedManifest extends Manifest {
  /** `lexical_ready` while chunks wait for their vectors: they are found by words alone. */
  indexState: 'lexical_ready' | 'ready'
  /**
   * Share of the true ten nearest that approximate search finds, 0–1; 1 where search is exact, null where nothing was
   * measured.
   */
  annRecall: number | null
}

/**
 * The manifest of an index that another release wrote, of which nothing else can be read: the project must be indexed
 * again.
 */
export interface ForeignManifest extends Manifest {
  indexState: 'foreign'
}

/**
 * Whether queries that are embedded as `wanted` says can be compared with what was built. The built-in embedder chooses
 * its model by what it finds in the project.
 */
export function isSameEmbedder(
  built: Pick<EmbeddingInfo, 'provider' | 'model'>,
  wanted: Pick<EmbeddingInfo, 'provider' | 'model'>,
): boolean {
  return built.provider === wanted.provider && (wanted.provider === 'local' || built.model === wanted.model)
}

/** What an operator says of a project; every later index and answer of it follows. */
export type ProjectSettings = Pick<
  ProjectInfo,
  | 'pathMappings'
  | 'inAppExclude'
  | 'callbackUrl'
  | 'checks'
  | 'sync'
  | 'ciComments'
  | 'allowedPaths'
  | 'features'
  | 'migrations'
  | 'deployUrl'
  | 'notify'
>

/** The settings of a project that an operator has said nothing of. */
export const NO_SETTINGS: ProjectSettings = {
  pathMappings: [],
  inAppExclude: [],
  callbackUrl: null,
  checks: {},
  sync: null,
  ciComments: true,
  allowedPaths: null,
  features: null,
  migrations: null,
  deployUrl: null,
  notify: null,
}
