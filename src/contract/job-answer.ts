import type { TSchema } from 'typebox'
import { Type } from '../core/type.ts'
import { BisectResultSchema } from './bisect.ts'
import { EnvironmentResultSchema } from './environment.ts'
import { FeatureResultSchema } from './feature.ts'
import {
  FixResultSchema,
  GenerateResultSchema,
  ImproveResultSchema,
  SelfHealResultSchema,
} from './generation-results.ts'
import { JobRequestSchema, JobSchema, type JobAnswer, type JobEventAnswer, type JobRequestAnswer } from './job.ts'
import { CloneResultSchema } from './project.ts'
import { ResolutionSchema } from './resolution.ts'
import { TaskResultSchema } from './task.ts'
import { TranscriptEntrySchema, type TranscriptEntryAnswer } from './transcript.ts'
import { toWire, type CamelCased } from './wire.ts'

/** The schema of each type's result. */
const RESULTS: Record<JobAnswer['type'], TSchema> = {
  clone: CloneResultSchema,
  resolve: Type.Array(ResolutionSchema),
  generate: GenerateResultSchema,
  improve: ImproveResultSchema,
  self_heal: SelfHealResultSchema,
  fix: FixResultSchema,
  bisect: BisectResultSchema,
  task: TaskResultSchema,
  feature: FeatureResultSchema,
  environment: EnvironmentResultSchema,
}

/** The result of a job as clients get it, from the job or by a callback. */
export const toWireResult = (type: JobAnswer['type'], result: unknown): unknown => toWire(RESULTS[type], result)

/** A job as clients get it. */
export const toWireJob = (job: CamelCased<JobAnswer>): JobAnswer => ({
  ...toWire(JobSchema, job),
  request: job.request === null ? null : toWire(JobRequestSchema, job.request),
  result: toWireResult(job.type, job.result),
})

/** An event as clients get it. Its data are single words but for what a `request` event asks. */
export function toWireEvent<Event extends CamelCased<JobEventAnswer>>(event: Event): Event {
  if (event.event !== 'request') return event
  return { ...event, data: toWire(JobRequestSchema, event.data as CamelCased<JobRequestAnswer>) }
}

type Entry = CamelCased<TranscriptEntryAnswer>
type Recorded = Entry extends infer One ? (One extends unknown ? Omit<One, 'at' | 'step'> : never) : never

/** A transcript as clients get it: who asked for the job, then what was said and run. */
export function toWireTranscript(
  job: Pick<CamelCased<JobAnswer>, 'type' | 'createdAt' | 'trust' | 'retryOf'> & { keyName: string | null },
  body: unknown,
  entries: ReadonlyArray<{ at: string; step: string | null; entry: Recorded }>,
): TranscriptEntryAnswer[] {
  const created = { ...job, at: job.createdAt, step: null, kind: 'created' as const, body }
  const transcript = [created, ...entries.map(({ entry, ...moment }) => ({ ...moment, ...entry }))] as Entry[]
  return transcript.map(entry => toWire(TranscriptEntrySchema, entry))
}
