import type { ResolveBody, ResolveInput } from '../../contract/resolution.ts'
import type { CiLogInput } from '../../contract/webhook.ts'
import type { Projects } from '../../indexer/projects.ts'
import type { CallbackChoice } from '../callback/callback-choice.ts'
import type { Preparation } from '../pipeline.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import { withoutDryRun } from '../steps/request/no-dry-run.ts'

/** What checking a request about a project needs. */
interface ResolvePreparationDeps {
  callback: CallbackChoice
  projects: Pick<Projects, 'needIndex'>
  model: Pick<AskModel, 'needModel'>
  /** The text as a job keeps it. */
  withoutSecrets: (text: string) => Promise<string>
}

async function withProject<Body extends Pick<ResolveInput, 'project_name' | 'callback_url' | 'notify'>>(
  { callback, projects }: ResolvePreparationDeps,
  body: Body,
): Promise<Body> {
  callback.check(body.callback_url)
  const { projectName } = await projects.needIndex(body.project_name)
  return { ...body, project_name: projectName, ...(await callback.of(body)) }
}

/** @throws {FaultlineError} VALIDATION_FAILED, LLM_NOT_CONFIGURED. */
function checkInvestigation({ model }: Pick<ResolvePreparationDeps, 'model'>, body: ResolveInput): void {
  if (body.investigate !== true) {
    if (body.max_steps === undefined) return
    const fix = 'Add "investigate": true, or leave max_steps out.'
    throw new FaultlineError('VALIDATION_FAILED', 'max_steps is for a model that investigates.', fix)
  }
  if (body.mode === 'context') {
    const fix = 'Leave mode or investigate out.'
    throw new FaultlineError('VALIDATION_FAILED', 'With mode "context" no model is asked that could investigate.', fix)
  }
  model.needModel()
}

/** Checks the body of a `POST /resolve` that is to become a job. */
export const prepareResolve = (deps: ResolvePreparationDeps): Preparation<ResolveBody, ResolveInput> => ({
  async complete(body) {
    checkInvestigation(deps, body)
    const input = await withProject(deps, withoutDryRun(body, 'POST /resolve with dry_run, which answers at once.'))
    return { ...input, stacktrace: await deps.withoutSecrets(input.stacktrace) }
  },
})

/** Checks the body of `POST /webhooks/ci`. */
export const prepareCiLog = (deps: ResolvePreparationDeps): Preparation<CiLogInput, CiLogInput> => ({
  complete: body => withProject(deps, body),
})
