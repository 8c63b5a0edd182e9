import type { SelfHealInput } from '../../contract/generation.ts'
import type { SelfHealResult } from '../../contract/generation-results.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { deliver, NOT_DELIVERED, type DeliverDeps } from '../steps/result/deliver.ts'
import { ENTRYPOINT, entrypointNotFound } from '../steps/program/entrypoint.ts'
import { heal, MAX_ATTEMPTS, SUCCESS_EXIT_CODES, type HealDeps } from '../steps/program/heal.ts'
import { startingFiles, type StartingDeps } from '../steps/base/starting-files.ts'

/** What healing needs. */
export interface SelfHealDeps extends HealDeps, Omit<StartingDeps, 'sandbox' | 'git'> {
  git: StartingDeps['git'] & DeliverDeps['git']
}

/** Runs a program and mends it until it works. */
export async function runSelfHeal(job: JobContext, deps: SelfHealDeps, input: SelfHealInput): Promise<SelfHealResult> {
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
  return { ...result, baseCommit: base.commit, ...delivered }
}
