import type { TSchema } from 'typebox'
import type { DryRunAnswer } from '../contract/dry-run.ts'
import type { JobType, JsonObject } from '../core/job.ts'
import type { JobDefinition } from '../jobs/job-definition.ts'

/** The `POST` route that makes a pipeline's jobs, as its document shows it. */
export interface PipelineRoute {
  url: `/${string}`
  operationId: string
  summary: string
  description: string
  /** The field that holds a trace or a log, which may be longer than what other routes take, and what to call it. */
  longText?: { field: string; name: string }
}

/** A kind of request that makes jobs. */
export interface PipelineRequest {
  type: JobType
  schema: TSchema
  /** Where requests of several kinds make jobs of one type: whether this is the body of such a job. */
  isFor?: (input: JsonObject) => boolean
  /** Fields that say the same in different ways: an override by one takes the place of the others. */
  oneOf?: readonly string[]
  /** Left out where `routes/` has a route for it that does more than make a job. */
  route?: PipelineRoute
}

/** How bodies that fit the schema become what jobs keep. */
export interface Preparation<Body, Input extends JsonObject = JsonObject> {
  /**
   * The body completed to what its job keeps. Nothing has touched git or the disk, nothing was sent when it throws.
   *
   * @throws {FaultlineError} VALIDATION_FAILED and what is said of paths, projects and jobs; LLM_NOT_CONFIGURED,
   * SANDBOX_UNAVAILABLE where the job could do nothing without.
   */
  complete(body: Body): Promise<Input>
  /** What a model would be sent first, and what that costs; calls nothing and needs no model. */
  dryRun?(body: Body): Promise<DryRunAnswer>
}

/** One row of the registry: what is asked for, what becomes of it, and how its jobs are done. */
export interface Pipeline<PreparationDeps, RunDeps> extends PipelineRequest {
  prepare: (deps: PreparationDeps) => Preparation<never>
  /** Left out where the jobs are done as another row of the same type says. */
  define?: (deps: RunDeps) => JobDefinition
}

/** A kind of request with its preparation: what makes a job of any body. */
export interface PreparedRequest extends PipelineRequest, Preparation<never> {}
