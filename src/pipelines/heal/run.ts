import type { SelfHealInput } from '../../contract/generation.ts'
import type { DialogueMessage } from '../../core/dialogue.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { SelfHealResult } from '../../contract/generation-results.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { deliver, NOT_DELIVERED, type DeliverDeps } from '../steps/result/deliver.ts'
import { says } from '../steps/model/dialogues.ts'
import { errorPrompt, heal, type HealDeps } from '../steps/program/heal.ts'
import { improveDialogue } from '../steps/model/improve-files.ts'
import { startingFiles, type StartingDeps } from '../steps/base/starting-files.ts'
import { ENTRYPOINT } from '../generate/write-entrypoint.ts'

/** The body of `POST /self-heal`, as the job keeps it. */
export interface SelfHealDeps extends HealDeps, Omit<StartingDeps, 'sandbox' | 'git'> {
  git: StartingDeps['git'] & DeliverDeps['git']
}

/** The seed's: a program that was called wrongly (2) runs. */
export const SUCCESS_EXIT_CODES = [0, 2]
export const MAX_ATTEMPTS = 10

const BASE_FROM = ['files', 'project_name', 'repository']

export const entrypointNotFound = (entrypoint: string): FaultlineError =>
  new FaultlineError(
    'ENTRYPOINT_NOT_FOUND',
    `There is no ${JSON.stringify(entrypoint)} among the files: the script that runs the program.`,
    'Send it, or name another one with "entrypoint".',
  )

function asInput(input: JsonObject): SelfHealInput {
  if (typeof input.prompt !== 'string') {
    throw new FaultlineError(
      'BAD_REQUEST',
      'The stored body of this self_heal job is not complete.',
      'POST /self-heal again.',
    )
  }
  return input as SelfHealInput
}

/** Runs a program and mends it until it works. */
export function createSelfHealPipeline(deps: SelfHealDeps): JobDefinition {
  return {
    projectName: input => asInput(input).project_name ?? null,
    exclusiveKey: () => null,
    consumes: {
      files: BASE_FROM,
      base: BASE_FROM,
      entrypoint: [...BASE_FROM, 'entrypoint'],
      run: [...BASE_FROM, 'entrypoint', 'network'],
    },
    async run(job) {
      const input = asInput(job.input)
      const entrypoint = input.entrypoint ?? ENTRYPOINT
      const { base, project } = await startingFiles(job, deps, input)
      if (project !== null && !(await job.step('entrypoint', async () => (await base.paths()).includes(entrypoint)))) {
        throw entrypointNotFound(entrypoint)
      }
      const { changes, ...result } = await heal(job, deps, {
        base,
        specification: input.prompt,
        entrypoint,
        refusal: project?.refusal,
        maxAttempts: input.max_attempts ?? MAX_ATTEMPTS,
        timeoutMs: input.timeout_s === undefined ? undefined : input.timeout_s * 1000,
        network: input.network ?? false,
        readyWhen: input.ready_when,
        successExitCodes: input.success_exit_codes ?? SUCCESS_EXIT_CODES,
        model: input.model,
        temperature: input.temperature,
      })
      const delivered =
        project !== null && result.diff !== ''
          ? await deliver(job, deps, { at: project.at, base, changes, prompt: input.prompt })
          : NOT_DELIVERED
      return { ...result, baseCommit: base.commit, ...delivered } satisfies SelfHealResult
    },
  }
}

/** What the model is asked first, for `dry_run`: as it would be of a program that fails without a word. */
export function firstHealDialogue({ prompt }: SelfHealInput, files: ReadonlyMap<string, string>): DialogueMessage[] {
  return improveDialogue(files, [
    says(
      errorPrompt({ specification: prompt, run: { stdout: '', stderr: '', exitCode: 1, killedBy: null }, context: '' }),
    ),
  ])
}
