import type { ImproveInput } from '../../contract/generation.ts'
import type { DialogueMessage } from '../../core/dialogue.ts'
import type { BaseFiles } from '../steps/base/base-files.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'
import { says } from '../steps/model/dialogues.ts'
import { improveDialogue } from '../steps/model/improve-files.ts'
import { readTexts } from '../steps/base/read-texts.ts'
import { chooseFiles, type ChooseDeps } from './choose-files.ts'

/** What the model is asked first, for `dry_run`. */
export async function firstImproveDialogue(
  deps: ChooseDeps,
  input: ImproveInput,
  { base, project }: { base: BaseFiles; project: ProjectBase | null },
): Promise<DialogueMessage[]> {
  const nobody = { log: () => {}, signal: new AbortController().signal }
  const paths = await chooseFiles(nobody, deps, { input, base, project })
  return improveDialogue(await readTexts(base, paths), [says(input.prompt)])
}
