import type { DialogueMessage } from '../../core/dialogue.ts'
import { FaultlineError } from '../../core/errors.ts'
import { placeholderLine } from '../../edits/apply/placeholders.ts'
import { fencedBlocks } from '../../edits/read/fenced-blocks.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { AskModel, ModelChoice } from '../steps/model/ask-model.ts'
import { entrypointDialogue, replied, says } from '../steps/model/dialogues.ts'
import { readKept } from '../steps/base/kept-files.ts'
import { ENTRYPOINT } from '../steps/program/entrypoint.ts'

/** Why a reply holds no script: it has no commands, or a line of them would write a placeholder for a secret. */
type Refused = { hidden: string | null }

/** Keeps the script of a reply; null where that is done. */
async function keepScript(job: JobContext, text: string): Promise<Refused | null> {
  return job.step('gen_entrypoint.script', async () => {
    const script = fencedBlocks(text)
      .filter(block => block.trim() !== '')
      .map(block => block.replace(/\n$/, ''))
      .join('\n')
    if (script === '') return { hidden: null }
    const hidden = placeholderLine(script)
    if (hidden !== undefined) return { hidden }
    await job.files.put(new Map([[ENTRYPOINT, `${script}\n`]]))
    return null
  })
}

const reason = ({ hidden }: Refused): string =>
  hidden === null
    ? 'The reply holds no commands in a code block.'
    : `The line ${JSON.stringify(hidden.slice(0, 200))} holds a placeholder for a secret that the model was not shown.`

const askAgain = ({ hidden }: Refused): DialogueMessage =>
  hidden === null
    ? says({ prompt: 'entrypoint-again' })
    : says({ prompt: 'entrypoint-secret', slots: { line: { label: 'line', text: hidden } } })

/**
 * Asks for the script that installs and runs the files of the job, and keeps it: all that stands in fences of the
 * reply, joined by newlines.
 *
 * @throws {FaultlineError} NO_FILES_IN_REPLY when the model wrote no script that can be used, twice; REPLY_TRUNCATED,
 * REPLY_FILTERED.
 */
export async function writeEntrypoint(job: JobContext, { askModel }: AskModel, choice: ModelChoice): Promise<void> {
  const dialogue = async (): Promise<DialogueMessage[]> => {
    const files = await readKept(job)
    files.delete(ENTRYPOINT) // the model's idea of it; this one is asked for
    return entrypointDialogue(files)
  }
  const first = await askModel(job, { name: 'gen_entrypoint', messages: dialogue, ...choice })
  if (first.cut !== null) throw first.cut
  const refused = await keepScript(job, first.text)
  if (refused === null) return
  job.log(`${reason(refused)} The model is asked again.`)
  const second = await askModel(job, {
    name: 'gen_entrypoint',
    messages: async () => [...(await dialogue()), replied(first.text), askAgain(refused)],
    ...choice,
  })
  if (second.cut !== null) throw second.cut
  const still = await keepScript(job, second.text)
  if (still === null) return
  throw new FaultlineError(
    'NO_FILES_IN_REPLY',
    `The model was asked twice for the script that runs the program and wrote none that can be used. ${reason(still)}`,
    'GET /jobs/{id}/files has the program; POST /jobs/{id}/retry with from_step gen_entrypoint asks again.',
  )
}
