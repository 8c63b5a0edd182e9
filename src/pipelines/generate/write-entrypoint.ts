import type { DialogueMessage } from '../../core/dialogue.ts'
import { FaultlineError } from '../../core/errors.ts'
import { fencedBlocks } from '../../edits/read/fenced-blocks.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { AskModel, ModelChoice } from '../steps/model/ask-model.ts'
import { entrypointDialogue, replied, says } from '../steps/model/dialogues.ts'
import { readKept } from '../steps/base/kept-files.ts'
import { ENTRYPOINT } from '../steps/program/entrypoint.ts'

async function keepScript(job: JobContext, text: string): Promise<boolean> {
  return job.step('gen_entrypoint.script', async () => {
    const script = fencedBlocks(text)
      .filter(block => block.trim() !== '')
      .map(block => block.replace(/\n$/, ''))
      .join('\n')
    if (script === '') return false
    await job.files.put(new Map([[ENTRYPOINT, `${script}\n`]]))
    return true
  })
}

/**
 * Asks for the script that installs and runs the files of the job, and keeps it: all that stands in fences of the
 * reply, joined by newlines.
 *
 * @throws {FaultlineError} NO_FILES_IN_REPLY when the model wrote no commands, twice; REPLY_TRUNCATED, REPLY_FILTERED.
 */
export async function writeEntrypoint(job: JobContext, { askModel }: AskModel, choice: ModelChoice): Promise<void> {
  const dialogue = async (): Promise<DialogueMessage[]> => {
    const files = await readKept(job)
    files.delete(ENTRYPOINT) // the model's idea of it; this one is asked for
    return entrypointDialogue(files)
  }
  const first = await askModel(job, { name: 'gen_entrypoint', messages: dialogue, ...choice })
  if (first.cut !== null) throw first.cut
  if (await keepScript(job, first.text)) return
  job.log('The reply holds no commands; the model is asked again.')
  const second = await askModel(job, {
    name: 'gen_entrypoint',
    messages: async () => [...(await dialogue()), replied(first.text), says({ prompt: 'entrypoint-again' })],
    ...choice,
  })
  if (second.cut !== null) throw second.cut
  if (await keepScript(job, second.text)) return
  throw new FaultlineError(
    'NO_FILES_IN_REPLY',
    'The model was asked twice for the script that runs the program and wrote no commands in a code block.',
    'GET /jobs/{id}/files has the program; POST /jobs/{id}/retry with from_step gen_entrypoint asks again.',
  )
}
