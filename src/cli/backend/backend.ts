import type { DryRunAnswer } from '../../contract/dry-run.ts'
import type { JobAnswer, JobEventAnswer, JobFileAnswer, ReplyBody } from '../../contract/job.ts'
import type { CloneBody, ProjectAnswer, SearchAnswer } from '../../contract/project.ts'
import type { Readiness } from '../../contract/readiness.ts'
import type { LocatedAnswer, ParseAnswer, ResolutionAnswer, ResolveInput } from '../../contract/resolution.ts'
import type { JobStatus, JobType, JsonObject } from '../../core/job.ts'

/** Pipelines that write code. */
export type PipelineType = 'generate' | 'improve' | 'self_heal' | 'fix'
export interface Page<T> {
  data: T[]
  next_cursor: string | null
}
export interface PageQuery {
  limit: number
  cursor?: string
}
export interface JobsQuery extends PageQuery {
  type?: JobType
  status?: JobStatus
  project_name?: string
}
export interface ResolveListeners {
  signal?: AbortSignal
  /** Everything but the answer, as soon as it is known. */
  onLocated?: (located: LocatedAnswer) => void
  onToken?: (text: string) => void
  /** The model starts its answer again: the tokens so far count for nothing. */
  onRestart?: () => void
}

/**
 * What the commands work with, in the words of the HTTP contract: the services of this process, or a running server.
 * Both throw FaultlineError for what the contract names, and CliError for the rest.
 */
export interface Backend {
  /** Starts a job; a job that does not come into being throws. */
  clone(body: CloneBody): Promise<JobAnswer>
  /** The same for the pipelines that write code, with the bodies of the contract. */
  startPipeline(type: PipelineType, body: JsonObject): Promise<JobAnswer>
  /** What a model would be asked first, and what that costs; makes no job and needs no model. */
  dryRun(type: PipelineType, body: JsonObject): Promise<DryRunAnswer>
  listJobs(query: JobsQuery): Promise<Page<JobAnswer>>
  getJob(id: string): Promise<JobAnswer>
  jobEvents(id: string, after: number): Promise<{ data: JobEventAnswer[] }>
  cancelJob(id: string): Promise<JobAnswer>
  /** Answers what a waiting job asks; it goes on. */
  replyToJob(id: string, body: ReplyBody): Promise<JobAnswer>
  jobFiles(id: string): Promise<{ data: JobFileAnswer[] }>
  readJobFile(id: string, path: string): Promise<Buffer>
  jobDiff(id: string): Promise<string>
  /** With `from_step` the finished steps before that one are not repeated; the rest overrides the first body. */
  retryJob(id: string, overrides: JsonObject & { from_step?: string }): Promise<JobAnswer>
  /**
   * Resolves when the job is terminal or waits for a person. @throws The signal's reason after an abort; the job goes
   * on.
   */
  waitForJob(
    id: string,
    options: { signal?: AbortSignal; onProgress?: (job: JobAnswer) => void | Promise<void> },
  ): Promise<JobAnswer>
  resolve(input: ResolveInput, listeners?: ResolveListeners): Promise<ResolutionAnswer>
  parse(text: string, signal?: AbortSignal): Promise<ParseAnswer>
  listProjects(query: PageQuery): Promise<Page<ProjectAnswer>>
  getProject(name: string): Promise<ProjectAnswer>
  deleteProject(name: string): Promise<void>
  search(name: string, query: string, limit: number, signal?: AbortSignal): Promise<SearchAnswer>
  ready(): Promise<Readiness>
  /**
   * A file as a commit of the clone has it; null when it is not there, and always from a server, whose clones are
   * elsewhere.
   */
  readCommitted(file: { repository: string; commit: string; path: string }): Promise<Buffer | null>
  /**
   * Waits for work that goes on behind a finished job and would end with this process (the history of a clone); a
   * server does it by itself.
   */
  finishBackgroundWork(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}
