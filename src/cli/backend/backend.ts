import type { AuditPage } from '../../contract/audit.ts'
import type { DryRunAnswer } from '../../contract/dry-run.ts'
import type { PIPELINE_PATHS } from '../../contract/job-names.ts'
import type { JobAnswer, JobEventAnswer, JobFileAnswer, ReplyBody } from '../../contract/job.ts'
import type { TaskAnswer, TaskPage, TasksQuestion } from '../../contract/task.ts'
import type { TranscriptEntryAnswer } from '../../contract/transcript.ts'
import type { FeedbackInput, KeptResolutionAnswer, ResolutionRow } from '../../contract/kept-resolution.ts'
import type { UploadOptions } from '../../contract/upload.ts'
import type { CloneBody, ProjectAnswer, SearchAnswer } from '../../contract/project.ts'
import type { ClusterAnswer } from '../../contract/cluster.ts'
import type { Readiness } from '../../contract/readiness.ts'
import type { LocatedAnswer, ParseAnswer, ResolutionAnswer, ResolveInput } from '../../contract/resolution.ts'
import type { JobStatus, JobType, JsonObject } from '../../core/job.ts'

/** Pipelines whose requests are made alike. */
export type PipelineType = keyof typeof PIPELINE_PATHS
/** One page of a list, and where the next one begins. */
export interface Page<T> {
  data: T[]
  next_cursor: string | null
}
/** The page of a list that is wanted. */
export interface PageQuery {
  limit: number
  cursor?: string
}
/** Which jobs to list. */
export interface JobsQuery extends PageQuery {
  type?: JobType
  status?: JobStatus
  project_name?: string
}
/** Which entries of the audit log to list. */
export interface AuditListQuery extends PageQuery {
  project_name?: string
  key?: string
  action?: string
}
/** Which of the kept answers to list. */
export interface ResolutionsListQuery extends PageQuery {
  project_name?: string
  fingerprint?: string
  /** Only those that somebody has judged. */
  with_feedback?: boolean
}
/** What a caller wants to hear while a trace is resolved. */
export interface ResolveListeners {
  signal?: AbortSignal
  /** Called with everything but the answer, as soon as it is known. */
  onLocated?: (located: LocatedAnswer) => void
  onToken?: (text: string) => void
  /** Called when the model starts its answer again: the tokens so far are void. */
  onRestart?: () => void
}

/**
 * What the commands work with, in the terms of the HTTP contract: the services of this process, or a running server.
 * Both throw FaultlineError for the errors of the contract, and CliError for others.
 */
export interface Backend {
  /** Where the server is; null for the services of this process, whose jobs end with it. */
  server: string | null
  /** The folder of the clones; null where they are on another machine, or may be. */
  clonesDir: string | null
  /** Starts a job; throws when it cannot be created. */
  clone(body: CloneBody): Promise<JobAnswer>
  /** The same with a bundle or an archive of this machine in place of an address. */
  upload(projectName: string, file: string, options: UploadOptions, signal?: AbortSignal): Promise<JobAnswer>
  /** The same for these pipelines, with the bodies of the contract. */
  startPipeline(type: PipelineType, body: JsonObject): Promise<JobAnswer>
  /** Starts a job in which a model looks around before it answers; `investigate` is set. */
  investigate(input: ResolveInput): Promise<JobAnswer>
  /** What a model would be asked first, and its cost; creates no job and needs no model. */
  dryRun(type: PipelineType, body: JsonObject): Promise<DryRunAnswer>
  listJobs(query: JobsQuery): Promise<Page<JobAnswer>>
  getJob(id: string): Promise<JobAnswer>
  jobEvents(id: string, after: number): Promise<{ data: JobEventAnswer[] }>
  /**
   * The events after `after`, then the live ones as they come, also over a connection that breaks. Ends with the job,
   * and where no process is there that would work on it.
   *
   * @throws The signal's reason after an abort; the job goes on.
   */
  followJob(id: string, after: number, signal: AbortSignal): AsyncIterable<JobEventAnswer>
  cancelJob(id: string): Promise<JobAnswer>
  /** Answers the request of a waiting job, which then goes on. */
  replyToJob(id: string, body: ReplyBody): Promise<JobAnswer>
  jobFiles(id: string): Promise<{ data: JobFileAnswer[] }>
  readJobFile(id: string, path: string): Promise<Buffer>
  /** What a job changed; `patch` as `git format-patch` writes it. */
  jobText(id: string, kind: 'diff' | 'patch'): Promise<string>
  jobTranscript(id: string): Promise<{ data: TranscriptEntryAnswer[] }>
  /** Forgets an ended job. */
  removeJob(id: string): Promise<void>
  /**
   * Runs a job again. With `from_step` the finished steps before it are not repeated; the other fields override the
   * first body.
   */
  retryJob(id: string, overrides: JsonObject & { from_step?: string }): Promise<JobAnswer>
  /**
   * Resolves when the job is terminal or waits for a person.
   *
   * @throws The signal's reason after an abort; the job goes on.
   */
  waitForJob(
    id: string,
    options: { signal?: AbortSignal; onProgress?: (job: JobAnswer) => void | Promise<void> },
  ): Promise<JobAnswer>
  listTasks(query: TasksQuestion): Promise<TaskPage>
  /** A task with what its agents did. */
  getTask(number: number): Promise<TaskAnswer>
  resolve(input: ResolveInput, listeners?: ResolveListeners): Promise<ResolutionAnswer>
  parse(text: string, signal?: AbortSignal): Promise<ParseAnswer>
  listProjects(query: PageQuery): Promise<Page<ProjectAnswer>>
  getProject(name: string): Promise<ProjectAnswer>
  /** Changes the settings that the body of the contract names; the rest stays as it is. */
  changeProject(name: string, body: JsonObject): Promise<ProjectAnswer>
  /** With `purge` its jobs go, too, and what the audit log says of it. */
  deleteProject(name: string, options?: { purge?: boolean }): Promise<void>
  listAudit(query: AuditListQuery): Promise<AuditPage>
  listResolutions(query: ResolutionsListQuery): Promise<Page<ResolutionRow>>
  /** A kept answer, with what it was asked about. */
  getResolution(id: string): Promise<KeptResolutionAnswer>
  /** Says whether an answer helped. */
  judgeResolution(id: string, feedback: FeedbackInput): Promise<void>
  search(name: string, query: string, limit: number, signal?: AbortSignal): Promise<SearchAnswer>
  ready(): Promise<Readiness>
  /** The nodes that work together, and the queue. */
  cluster(): Promise<ClusterAnswer>
  /** A file at a commit of the clone; null when it is missing, and always for a server, whose clones are elsewhere. */
  readCommitted(file: { repository: string; commit: string; path: string }): Promise<Buffer | null>
  /**
   * Waits for work that continues after a finished job and would end with this process (the history of a clone); a
   * server does it by itself.
   */
  finishBackgroundWork(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}
