import type { GenerateBody, GenerateInput } from '../../contract/generation.ts'
import { FaultlineError } from '../../core/errors.ts'
import { checkSentFiles } from '../steps/request/sent-files.ts'
import type { Static } from 'typebox'
import type { Preparation } from '../pipeline.ts'
import { modelPreparation, type ModelPreparationDeps } from '../steps/request/model-preparation.ts'

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

/** @throws {FaultlineError} BAD_PATH: a file is named that may not be sent. */
const withSafePaths = <Input extends GenerateInput>(input: Input): Input =>
  input.files === undefined ? input : { ...input, files: checkSentFiles(input.files) }

/** Checks the body of `POST /generate`. */
export function prepareGenerate(
  deps: ModelPreparationDeps,
): Required<Preparation<Static<typeof GenerateBody>, GenerateInput>> {
  return modelPreparation(deps, {
    async complete(body) {
      refuseContradictions(body)
      return withSafePaths(body)
    },
    needsSandbox: ({ execute, self_heal: wantsHealing }) => execute === 'always' || wantsHealing === true,
    async dialogue(body) {
      const { firstGenerateDialogue } = await import('./dialogue.ts') // as the job's body: with the first one
      return firstGenerateDialogue(withSafePaths(body))
    },
  })
}
