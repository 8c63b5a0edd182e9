import type { DryRunAnswer } from '../../../contract/dry-run.ts'
import type { DialogueMessage } from '../../../core/dialogue.ts'
import type { JsonObject } from '../../../core/job.ts'
import type { CallbackChoice } from '../../callback/callback-choice.ts'
import type { Preparation } from '../../pipeline.ts'
import type { AskModel } from '../model/ask-model.ts'
import { needSandbox, type SandboxProbe } from './need-sandbox.ts'
import { withoutDryRun } from './no-dry-run.ts'

/** What checking a request for work of a model needs. */
export interface ModelPreparationDeps extends SandboxProbe {
  model: Pick<AskModel, 'needModel' | 'estimate'>
  callback: Pick<CallbackChoice, 'check'>
}

interface ModelBody {
  dry_run?: boolean
  callback_url?: string
  model?: string
}

/** What differs between the requests for work of a model. */
interface ModelRequest<Body extends ModelBody, Input extends JsonObject> {
  /** As `Preparation.complete`, without the model and the sandbox. */
  complete(body: Omit<Body, 'dry_run'>): Promise<Input>
  /** Whether the job runs programs. */
  needsSandbox(input: Input): boolean
  /** What the model would be sent first. */
  dialogue(body: Body): Promise<DialogueMessage[]>
}

/** Checks of a request for work of a model: what the body says first, then the model, the sandbox last. */
export function modelPreparation<Body extends ModelBody, Input extends JsonObject>(
  deps: ModelPreparationDeps,
  { complete, needsSandbox, dialogue }: ModelRequest<Body, Input>,
): Required<Preparation<Body, Input>> {
  const { model, callback } = deps
  return {
    async complete(body) {
      const given = withoutDryRun(body)
      callback.check(given.callback_url)
      const input = await complete(given)
      model.needModel()
      if (needsSandbox(input)) await needSandbox(deps)
      return input
    },
    dryRun: async (body): Promise<DryRunAnswer> =>
      model.estimate({ messages: await dialogue(body), model: body.model }),
  }
}
