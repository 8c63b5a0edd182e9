import type { GenerateBody, GenerateInput } from '../../contract/generation.ts'
import { FaultlineError } from '../../core/errors.ts'
import { checkSentFiles } from '../../core/sent-files.ts'
import type { Static } from 'typebox'
import type { CallbackChoice } from '../callback/callback-choice.ts'
import type { Preparation } from '../pipeline.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import { needSandbox, type SandboxProbe } from '../steps/request/need-sandbox.ts'
import { withoutDryRun } from '../steps/request/no-dry-run.ts'
import { firstGenerateDialogue } from './dialogue.ts'

/** What checking a request to generate needs. */
export interface GeneratePreparationDeps extends SandboxProbe {
  model: Pick<AskModel, 'needModel' | 'estimate'>
  callback: Pick<CallbackChoice, 'check'>
}

/** @throws {FaultlineError} VALIDATION_FAILED: two fields contradict each other. */
function refuseContradictions({ self_heal: wantsHealing, execute, max_questions: maxQuestions, mode }: GenerateInput) {
  if (wantsHealing === true && execute === 'never') {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      'A program that is not run cannot be healed.',
      'Leave execute out, or self_heal.',
    )
  }
  if (maxQuestions !== undefined && mode !== 'clarified') {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      'max_questions is of the mode clarified.',
      'Add "mode": "clarified", or leave max_questions out.',
    )
  }
}

/** Checks the body of `POST /generate`. */
export function prepareGenerate(
  deps: GeneratePreparationDeps,
): Required<Preparation<Static<typeof GenerateBody>, GenerateInput>> {
  const { model, callback } = deps
  return {
    async complete(body) {
      const input = withoutDryRun(body)
      callback.check(input.callback_url)
      refuseContradictions(input)
      const files = input.files === undefined ? {} : { files: checkSentFiles(input.files) }
      model.needModel()
      if (input.execute === 'always' || input.self_heal === true) await needSandbox(deps)
      return { ...input, ...files }
    },
    dryRun: async body => model.estimate({ messages: firstGenerateDialogue(body), model: body.model }),
  }
}
