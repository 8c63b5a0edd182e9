import type { JobError, JobType, JsonObject } from '../core/job.ts'
import type { JobContext } from './job-context.ts'

/** How the jobs of one type are done. */
export interface JobDefinition {
  /** Gives the result of the job, which goes through JSON. */
  run(context: JobContext): Promise<unknown>
  /**
   * Sends the news of a success to whoever waits for it, as the last of the job's steps: with `run` it is begun again
   * after a crash.
   */
  succeeding?: (context: JobContext, result: unknown) => Promise<void>
  /**
   * Sends the news of a failure to whoever waits for it, before the failure is marked; again when the server ended in
   * between. The body is not run again then.
   */
  failing?: (context: JobContext, error: JobError) => Promise<void>
  /** Jobs with equal keys run one after the other; null: any number at once. */
  exclusiveKey(input: JsonObject): string | null
  projectName(input: JsonObject): string | null
  /** Whether other jobs wait for such ones: they run beside those that the limit counts. */
  isBeside?: boolean
  /** The node that alone can do it, for what stays on its disk; null, as when left out: any. */
  runsOn?: (input: JsonObject) => string | null
  /** Whether a retry begins from the first step, whatever it is asked for: what the steps made is gone. */
  isWhole?: boolean
  /**
   * By step, the fields of the body that its stored output depends on: they cannot be overridden when the step is not
   * run again.
   */
  consumes?: Record<string, readonly string[]>
}

/** The pipelines that there are, by the type of their jobs. */
export type JobDefinitions = Partial<Record<JobType, JobDefinition>>

/** @throws {Error} for a type that no pipeline is registered for, which is a bug. */
export function definitionOf(definitions: JobDefinitions, type: JobType): JobDefinition {
  const definition = definitions[type]
  if (definition === undefined) throw new Error(`no pipeline is registered for jobs of type ${type}`)
  return definition
}
