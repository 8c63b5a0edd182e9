import type { GenerateInput } from '../../contract/generation.ts'
import type { DialogueMessage } from '../../core/dialogue.ts'
import { filesOf } from '../steps/base/kept-files.ts'
import { CLARIFY_SYSTEM, GENERATE_SYSTEM, LITE_SYSTEM, requestTurn } from '../steps/model/dialogues.ts'

/** The instructions that the program is written by. */
export const systemOf = (mode: GenerateInput['mode']): DialogueMessage =>
  mode === 'lite' ? LITE_SYSTEM : GENERATE_SYSTEM

/** What the person asked for, with the files that there are already. */
export const openingOf = ({ prompt, files }: GenerateInput): DialogueMessage => requestTurn(prompt, filesOf(files))

/** What the model is asked first, for `dry_run`. */
export function firstGenerateDialogue(input: GenerateInput): DialogueMessage[] {
  return [input.mode === 'clarified' ? CLARIFY_SYSTEM : systemOf(input.mode), openingOf(input)]
}
