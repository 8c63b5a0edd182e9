import type { JobDefinitions } from '../jobs/job-definition.ts'
import type { Callbacks } from '../outbound/callbacks.ts'
import { BISECT_REQUEST } from './bisect/body.ts'
import { prepareBisect } from './bisect/prepare.ts'
import { createBisectPipeline } from './bisect/pipeline.ts'
import { withCallback } from './callback/with-callback.ts'
import { CLONE_REQUEST, UPLOAD_REQUEST } from './clone/body.ts'
import { prepareUpload } from './clone/prepare-upload.ts'
import { prepareClone } from './clone/prepare.ts'
import { createClonePipeline } from './clone/run.ts'
import { ENVIRONMENT_REQUEST } from './environment/body.ts'
import { prepareEnvironment } from './environment/prepare.ts'
import { createEnvironmentPipeline } from './environment/run.ts'
import { FEATURE_REQUEST } from './feature/body.ts'
import { prepareFeature } from './feature/prepare.ts'
import { createFeaturePipeline } from './feature/pipeline.ts'
import { FIX_REQUEST } from './fix/body.ts'
import { prepareFix } from './fix/prepare.ts'
import { createFixPipeline } from './fix/pipeline.ts'
import { GENERATE_REQUEST } from './generate/body.ts'
import { prepareGenerate } from './generate/prepare.ts'
import { createGeneratePipeline } from './generate/pipeline.ts'
import { SELF_HEAL_REQUEST } from './heal/body.ts'
import { prepareSelfHeal } from './heal/prepare.ts'
import { createSelfHealPipeline } from './heal/pipeline.ts'
import { IMPROVE_REQUEST } from './improve/body.ts'
import { prepareImprove } from './improve/prepare.ts'
import { createImprovePipeline } from './improve/pipeline.ts'
import type { Pipeline, PreparedRequest } from './pipeline.ts'
import { CI_LOG_REQUEST, RESOLVE_REQUEST } from './resolve/body.ts'
import { prepareCiLog, prepareResolve } from './resolve/prepare.ts'
import { createResolvePipeline } from './resolve/run.ts'
import { TASK_REQUEST } from './task/body.ts'
import { prepareTask } from './task/prepare.ts'
import { createTaskPipeline } from './task/pipeline.ts'

/** Every pipeline, a row each. The routes that `route` asks for, retries and jobs all follow from its row. */
export const PIPELINES = {
  upload: { ...UPLOAD_REQUEST, prepare: prepareUpload },
  clone: { ...CLONE_REQUEST, prepare: prepareClone, define: createClonePipeline },
  ciLog: { ...CI_LOG_REQUEST, prepare: prepareCiLog },
  resolve: { ...RESOLVE_REQUEST, prepare: prepareResolve, define: createResolvePipeline },
  generate: { ...GENERATE_REQUEST, prepare: prepareGenerate, define: createGeneratePipeline },
  improve: { ...IMPROVE_REQUEST, prepare: prepareImprove, define: createImprovePipeline },
  selfHeal: { ...SELF_HEAL_REQUEST, prepare: prepareSelfHeal, define: createSelfHealPipeline },
  fix: { ...FIX_REQUEST, prepare: prepareFix, define: createFixPipeline },
  bisect: { ...BISECT_REQUEST, prepare: prepareBisect, define: createBisectPipeline },
  task: { ...TASK_REQUEST, prepare: prepareTask, define: createTaskPipeline },
  feature: { ...FEATURE_REQUEST, prepare: prepareFeature, define: createFeaturePipeline },
  environment: { ...ENVIRONMENT_REQUEST, prepare: prepareEnvironment, define: createEnvironmentPipeline },
} as const satisfies Record<string, Pipeline<never, never>>

type Rows = typeof PIPELINES
type RowName = keyof Rows

/** What each of several functions takes, together. */
type TakenByAll<Take> = (Take extends (taken: infer Taken) => unknown ? (all: Taken) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

/** What all preparations together need. */
export type PreparationParts = TakenByAll<Rows[RowName]['prepare']>

/** What all jobs together need. */
type RunParts = TakenByAll<Extract<Rows[RowName], { define: unknown }>['define']>

/** Every kind of request, with what completes its bodies. */
export type PreparedRequests = {
  [Name in RowName]: Omit<Rows[Name], 'prepare' | 'define'> & ReturnType<Rows[Name]['prepare']>
}

/** A kind of request whose route is made from its row. */
export type RoutedRequest = Required<Pick<PreparedRequest, 'type' | 'schema' | 'complete' | 'dryRun' | 'route'>>

/** Connects the rows with what their preparations need. */
export function prepareRequests(parts: PreparationParts): PreparedRequests {
  const rows = Object.entries(PIPELINES).map(([name, { prepare, ...row }]) => [name, { ...row, ...prepare(parts) }])
  return Object.fromEntries(rows) as PreparedRequests
}

/** The requests whose rows have a route, in the order of the registry. */
export const routedRequests = (requests: PreparedRequests): RoutedRequest[] =>
  Object.values(requests).filter(request => 'route' in request)

/** How the jobs of each type are done; those whose body has a `callback_url` post there how they ended. */
export function defineJobs(parts: RunParts, deliver: Callbacks['deliver']): JobDefinitions {
  const definitions: JobDefinitions = {}
  for (const row of Object.values(PIPELINES)) {
    if ('define' in row) definitions[row.type] = withCallback(row.type, row.define(parts), deliver)
  }
  return definitions
}
