import type { NotifyEvent } from '../../../contract/primitives.ts'
import { FaultlineError } from '../../../core/errors.ts'
import { isTerminal, type Job } from '../../../core/job.ts'
import { checkSentFiles } from './sent-files.ts'
import { decodeText } from '../../../core/source-text.ts'
import type { Projects } from '../../../indexer/projects.ts'
import type { CallbackChoice } from '../../callback/callback-choice.ts'
import { sentFiles, type BaseFiles } from '../base/base-files.ts'
import { baseAt, type ProjectBase, type ProjectBaseDeps } from '../base/project-base.ts'

/** Where a body says that the code comes from: exactly one of `files`, `project_name` and `job_id`. */
interface SourceBody {
  files?: Record<string, string>
  project_name?: string
  repository?: string
  allow_paths?: string[]
  push?: boolean
  lint?: boolean
  job_id?: string
  callback_url?: string
  notify?: NotifyEvent[]
}

/** What completing the source of a body needs. */
export interface SourceDeps {
  callback: Pick<CallbackChoice, 'of'>
  projects: Pick<Projects, 'needIndex'>
  /** A job and the files that it keeps. @throws {FaultlineError} JOB_NOT_FOUND */
  filesOfJob: (id: string) => Promise<{ job: Job; files: Array<{ path: string; content: Buffer }> }>
}

/** The fields that name a source, of which a body has one. */
export const SOURCES = ['files', 'project_name', 'job_id'] as const

/** Fields that mean something with a project alone. */
const PROJECT_FIELDS = ['repository', 'allow_paths', 'push', 'lint'] as const

type SourceField = (typeof SOURCES)[number]

/** @throws {FaultlineError} VALIDATION_FAILED: there is none, or several. */
function sourceOf(body: SourceBody): SourceField {
  const given = SOURCES.filter(field => body[field] !== undefined)
  const [source] = given
  if (source !== undefined && given.length === 1) return source
  throw new FaultlineError(
    'VALIDATION_FAILED',
    `Exactly one of ${SOURCES.join(', ')} is needed; this body has ${given.join(' and ') || 'none'}.`,
    'Send files ({"path": "content"}), the name of a project, or the id of an ended job.',
  )
}

/** @throws {FaultlineError} VALIDATION_FAILED */
function refuseProjectFields(body: SourceBody, source: SourceField): void {
  const misplaced = PROJECT_FIELDS.find(field => body[field] !== undefined && body[field] !== false)
  if (misplaced === undefined) return
  throw new FaultlineError(
    'VALIDATION_FAILED',
    `${misplaced} needs a project; this body has ${source}.`,
    `Leave ${misplaced} out, or POST /clone the repository and send its project_name.`,
  )
}

function textOf(jobId: string, path: string, content: Buffer): string {
  const text = decodeText(content)
  if (text !== null) return text
  throw new FaultlineError(
    'VALIDATION_FAILED',
    `The file ${JSON.stringify(path)} of the job ${jobId} is not UTF-8.`,
    'Send the files that matter with "files".',
  )
}

async function textsOfJob({ filesOfJob }: SourceDeps, id: string): Promise<Record<string, string>> {
  const { job, files } = await filesOfJob(id)
  if (!isTerminal(job.status)) {
    throw new FaultlineError(
      'JOB_NOT_FINISHED',
      `The job ${id} is ${job.status}; its files may still change.`,
      'GET /jobs/{id}?wait=60 answers when it has ended.',
    )
  }
  if (files.length === 0) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `The job ${id} keeps no files.`,
      'GET /jobs/{id}/files lists the files of a job.',
    )
  }
  return Object.fromEntries(files.map(({ path, content }) => [path, textOf(id, path, content)]))
}

/**
 * A body with its source as the job keeps it. The files of an earlier job are copied into it: that job may be deleted
 * at any time. The name of a project becomes the one that it has.
 *
 * @throws {FaultlineError} VALIDATION_FAILED, BAD_PATH, JOB_NOT_FOUND, JOB_NOT_FINISHED, PROJECT_NOT_FOUND,
 * INDEX_NOT_READY.
 */
export async function withSource<Body extends SourceBody>(deps: SourceDeps, body: Body): Promise<Body> {
  const source = sourceOf(body)
  if (source !== 'project_name') refuseProjectFields(body, source)
  const { job_id: jobId, ...rest } = body
  if (body.files !== undefined) return { ...body, files: checkSentFiles(body.files) }
  if (jobId !== undefined) return { ...rest, files: await textsOfJob(deps, jobId) } as Body
  const { projectName } = await deps.projects.needIndex(body.project_name ?? '')
  const callback = await deps.callback.of({ ...body, project_name: projectName })
  return { ...body, project_name: projectName, ...callback }
}

/** The files that a job of this body would begin with, as they are now; `project` is null for files that were sent. */
export async function filesNow(
  deps: ProjectBaseDeps,
  { files = {}, project_name: projectName, repository, allow_paths: allowPaths }: SourceBody,
): Promise<{ base: BaseFiles; project: ProjectBase | null }> {
  if (projectName === undefined) {
    return { base: sentFiles(new Map(Object.entries(files)), { fill: async () => {} }), project: null }
  }
  const project = baseAt(deps, { projectName, allowPaths }, await deps.commitOf(projectName, repository))
  return { base: project.base, project }
}
