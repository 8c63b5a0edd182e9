import type { DialogueMessage } from '../core/dialogue.ts'
import { FaultlineError } from '../core/errors.ts'
import type { HealResult } from '../core/generation.ts'
import type { Budget, JsonObject } from '../core/job.ts'
import type { JobDefinition } from '../jobs/jobs.ts'
import { sentFiles } from './steps/base-files.ts'
import { says } from './steps/dialogues.ts'
import { errorPrompt, heal, type HealDeps } from './steps/heal.ts'
import { improveDialogue } from './steps/improve-files.ts'
import { filesOf } from './steps/kept-files.ts'
import { ENTRYPOINT } from './steps/write-entrypoint.ts'

/** The body of `POST /self-heal`, as the job keeps it. */
export type SelfHealInput = {
  prompt: string
  files?: Record<string, string>
  project_name?: string
  job_id?: string
  entrypoint?: string
  max_attempts?: number
  timeout_s?: number
  network?: boolean
  success_exit_codes?: number[]
  ready_when?: { port?: number, output?: string }
  model?: string
  temperature?: number
  budget?: Budget
  callback_url?: string
}

/** The seed's: a program that was called wrongly (2) runs. */
export const SUCCESS_EXIT_CODES = [0, 2]
export const MAX_ATTEMPTS = 10

/** Runs a program and mends it until it works. */
export function createSelfHealPipeline (deps: HealDeps): JobDefinition {
  return {
    projectName: input => asInput(input).project_name ?? null,
    exclusiveKey: () => null,
    async run (job) {
      const input = asInput(job.input)
      const files = filesOf(input.files)
      await job.step('files', async () => { await job.files.put(files) })
      const { changes: _changes, ...result } = await heal(job, deps, {
        base: sentFiles(files, deps.sandbox),
        specification: input.prompt,
        entrypoint: input.entrypoint ?? ENTRYPOINT,
        maxAttempts: input.max_attempts ?? MAX_ATTEMPTS,
        timeoutMs: input.timeout_s === undefined ? undefined : input.timeout_s * 1000,
        network: input.network ?? false,
        readyWhen: input.ready_when,
        successExitCodes: input.success_exit_codes ?? SUCCESS_EXIT_CODES,
        model: input.model,
        temperature: input.temperature,
      })
      return result satisfies HealResult
    },
  }
}

/** What the model is asked first, for `dry_run`: as it would be of a program that fails without a word. */
export function firstHealDialogue ({ prompt, files }: SelfHealInput): DialogueMessage[] {
  return improveDialogue(filesOf(files), [says(errorPrompt({ specification: prompt, run: { stdout: '', stderr: '', exitCode: 1, killedBy: null }, context: '' }))])
}

function asInput (input: JsonObject): SelfHealInput {
  if (typeof input.prompt !== 'string') throw new FaultlineError('BAD_REQUEST', 'The stored body of this self_heal job is not complete.', 'POST /self-heal again.')
  return input as SelfHealInput
}
