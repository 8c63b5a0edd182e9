import type { SelfHealInput } from '../../contract/generation.ts'
import type { DialogueMessage } from '../../core/dialogue.ts'
import type { BaseFiles } from '../steps/base/base-files.ts'
import { says } from '../steps/model/dialogues.ts'
import { improveDialogue } from '../steps/model/improve-files.ts'
import { errorPrompt } from '../steps/program/heal.ts'

/** Characters of a project's files in a `dry_run`: as many as healing shows. */
const SHOWN_CHARS = 240_000

/** How a program that fails without a word ends. */
const SILENT_FAILURE = { stdout: '', stderr: '', exitCode: 1, killedBy: null }

async function firstTexts({ paths, read }: BaseFiles): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  let chars = 0
  for (const path of await paths()) {
    const text = await read(path)
    if (text === null) continue
    chars += text.length
    if (chars > SHOWN_CHARS && texts.size > 0) break
    texts.set(path, text)
  }
  return texts
}

/** What the model is asked first, for `dry_run`: as it would be for a program that fails without a word. */
export async function firstHealDialogue({ prompt }: SelfHealInput, base: BaseFiles): Promise<DialogueMessage[]> {
  const request = errorPrompt({ specification: prompt, run: SILENT_FAILURE, context: '' })
  return improveDialogue(await firstTexts(base), [says(request)])
}
