import type { CloneInput, CloneResult } from '../../contract/project.ts'
import type { UploadInput } from '../../contract/upload.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { JsonObject, Progress } from '../../core/job.ts'
import { uncommittedFiles, type History, type IndexResult, type UncommittedChanges } from '../../core/project.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { CLONE_REQUEST } from './body.ts'

/** What cloning gives to indexing. */
export type ClonedRepository = {
  repository: string
  gitDir: string
  url: string
  branch: string | null
  commit: string
  /** What the work tree holds beyond the commit, where that is indexed, too. */
  uncommitted?: UncommittedChanges
  history: History
  /** The folder that alone is indexed unless the request says otherwise. */
  folder?: string | null
  /** Branches of jobs that could not be read any more when a damaged clone was made anew. */
  lostBranches?: string[]
}

/** Where a repository comes from: an address, or a file that was uploaded. */
export type RepositorySource = { url: string; uncommitted?: boolean } | { upload: string; repository: string }

/** How a step is cancelled and followed. */
export interface StepOptions {
  signal: AbortSignal
  onProgress: (progress: { phase: string; done: number; total: number | null }) => void
}

/** What cloning needs. */
export interface CloneDeps {
  /** `mended`: its settings were lost, and are now the defaults. */
  createProject: (name: string) => Promise<'whole' | 'mended'>
  cloneRepository: (
    request: RepositorySource & { branch?: string; ref?: string; projectName: string },
    options: StepOptions,
  ) => Promise<ClonedRepository>
  indexRepository: (
    request: { projectName: string; repository: ClonedRepository; include: string[]; exclude: string[] },
    options: StepOptions & Pick<JobContext, 'run'>,
  ) => Promise<IndexResult>
  /** Does work that changes what is indexed of a project, after all earlier work of the kind. */
  exclusively: <T>(projectName: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>
  /** Whether the clone is there and the project holds a commit of it. */
  hasClone: (repository: string, projectName: string) => Promise<boolean>
  /** Takes back a project in which nothing was ever published. */
  forgetUnpublished: (projectName: string) => Promise<void>
  /** Removes an uploaded file, which nothing needs any more. */
  discardUpload: (upload: string) => Promise<void>
  /** Called when the index is published; must not block. */
  indexed: (cloned: { repository: string; projectName: string; history: History }) => void
}

/** Jobs that use one project run one after the other; the same key tells whether a project is busy. */
export const projectKey = (projectName: string): string => `project:${projectName.toLowerCase()}`

const SHARE = {
  receiving: 'objects',
  resolving: 'deltas',
  files: 'files',
  embedding: 'chunks',
  storing: 'chunks',
} as const

/** What stands for all below a folder, whose name may hold characters that mean something in a glob. */
function globsOf(folder: string | null | undefined): string[] {
  if (typeof folder !== 'string') return []
  return [`${folder.replace(/[*?[\]\\!]/g, '\\$&').replace(/[{}]/g, '?')}/**`]
}

type Input = CloneInput | (UploadInput & { repository: string })

function readInput(input: JsonObject): Input {
  const { type } = CLONE_REQUEST
  return 'upload' in input
    ? readStoredBody<Input>(input, {
        type,
        url: '/projects/{name}/upload',
        texts: ['upload', 'repository', 'project_name'],
      })
    : readStoredBody<Input>(input, { type, url: '/clone', texts: ['url', 'project_name'] })
}

const sourceOf = (input: Input): RepositorySource =>
  'upload' in input
    ? { upload: input.upload, repository: input.repository }
    : { url: input.url, uncommitted: input.uncommitted }

const uploadOf = (input: Input): string | null => ('upload' in input ? input.upload : null)

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const startedAt = performance.now()
  const value = await work
  return { value, ms: Math.round(performance.now() - startedAt) }
}

/** Progress such as `files 1200/2900`, under the name of the step. */
function report(context: JobContext, step: string): StepOptions['onProgress'] {
  return ({ phase, done, total }) => {
    const unit = (SHARE as Record<string, string>)[phase] ?? ''
    const work = phase === unit ? phase : `${phase} ${unit}`.trim()
    const share = total === null ? done : `${done}/${total}`
    const message = `${work} ${share}`
    context.progress({ step, done, total, message } satisfies Progress)
  }
}

/** The clone is marked by then, so that the next sync fetches all of it. */
const isCorrupt = (error: unknown): boolean => error instanceof FaultlineError && error.code === 'REPOSITORY_CORRUPT'

/**
 * Clone or fetch, then index what the commit holds. Both steps may run again after a crash: a fetch finds what is
 * there, an index is published whole.
 */
export function createClonePipeline(deps: CloneDeps): JobDefinition {
  return {
    projectName: input => readInput(input).project_name,
    exclusiveKey: input => projectKey(readInput(input).project_name),
    consumes: { clone: ['url', 'upload', 'repository', 'branch', 'ref', 'uncommitted', 'project_name'] },
    async run(context) {
      const input = readInput(context.input)
      const { branch, ref, include, exclude = [], project_name: projectName } = input
      const source = sourceOf(input)
      const clone = () =>
        context.step('clone', async signal => {
          if ((await deps.createProject(projectName)) === 'mended') {
            context.log(
              'The settings of the project were lost with its project.json; ' +
                `PATCH /projects/${projectName} sets them again.`,
            )
          }
          const { value, ms } = await timed(
            deps.cloneRepository(
              { ...source, branch, ref, projectName },
              { signal, onProgress: report(context, 'clone') },
            ),
          )
          const { lostBranches = [] } = value
          if (lostBranches.length > 0) {
            context.log(`The clone was damaged; branches that could not be read any more: ${lostBranches.join(', ')}.`)
          }
          return { ...value, ms }
        })
      const index = (cloned: ClonedRepository) =>
        context.step('index', async signal => {
          if (!(await deps.hasClone(cloned.repository, projectName))) {
            throw new FaultlineError(
              'NOT_FOUND',
              'The clone that this job would go on from was deleted.',
              'Retry without from_step.',
            )
          }
          const { value, ms } = await timed(
            deps.indexRepository(
              { projectName, repository: cloned, include: include ?? globsOf(cloned.folder), exclude },
              { signal, onProgress: report(context, 'index'), run: context.run },
            ),
          )
          return { ...value, ms }
        })
      const cloneAndIndex = async () => {
        const cloned = await clone()
        if ('upload' in source) await deps.discardUpload(source.upload)
        try {
          return { cloned, indexed: await index(cloned) }
        } catch (error) {
          if (!isCorrupt(error)) throw error
          context.log('The clone was found damaged; it is made anew.')
          const anew = await clone()
          return { cloned: anew, indexed: await index(anew) }
        }
      }
      const { cloned, indexed } = await deps.exclusively(projectName, cloneAndIndex, context.signal)
      deps.indexed({ repository: cloned.repository, projectName, history: cloned.history })
      const { ms: indexMs, generation: _generation, timingsMs, ...counts } = indexed
      const { repository, branch: indexedBranch, uncommitted, history, ms: cloneMs } = cloned
      return {
        projectName,
        repository,
        branch: indexedBranch,
        ...uncommittedFiles(uncommitted),
        history,
        ...counts,
        timingsMs: { clone: cloneMs, ...timingsMs, total: cloneMs + indexMs },
      } satisfies CloneResult
    },
    /** A project whose first clone failed is none: nobody could do anything with it but delete it. */
    async failing({ input }, { step }) {
      const body = readInput(input)
      const upload = uploadOf(body)
      if (upload !== null) await deps.discardUpload(upload)
      if (step === 'clone') await deps.forgetUnpublished(body.project_name)
    },
  }
}
