import { shortened } from '../../../core/both-ends.ts'
import type { DialogueMessage } from '../../../core/dialogue.ts'
import { FaultlineError } from '../../../core/errors.ts'
import type { HealAttempt, HealResult, ProgramRun, StopReason } from '../../../contract/generation-results.ts'
import type { OutlineFile } from '../../../edits/parts/units/units-of.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { ReadyWhen } from '../../../sandbox/run.ts'
import type { AskModel, ModelChoice } from '../model/ask-model.ts'
import { currentFiles, NO_CHANGES, type BaseFiles, type Changes } from '../base/base-files.ts'
import type { Diagnose } from './diagnose.ts'
import { improveFiles, type ImproveOptions } from '../model/improve-files.ts'
import { outcomeOf } from '../result/outcome.ts'
import { runProgram, scriptArgv, type RunDeps } from './run-program.ts'
import { isShellFault } from './shell-fault.ts'

/** What healing needs. */
export interface HealDeps {
  model: AskModel
  outline: OutlineFile
  sandbox: RunDeps
  diagnose: Diagnose
}

/** What is to be healed, and when it counts as healed. */
interface HealOptions extends ModelChoice {
  base: BaseFiles
  changes?: Changes
  /** What the program is for, in the words of who asked for it. */
  specification: string
  entrypoint: string
  maxAttempts: number
  timeoutMs?: number
  network: boolean
  /** When a program that goes on counts as working. */
  readyWhen?: ReadyWhen
  successExitCodes: readonly number[]
  /** As `ImproveOptions.refusal`. */
  refusal?: ImproveOptions['refusal']
}

/** The seed's: a program that was called wrongly (2) runs. */
export const SUCCESS_EXIT_CODES = [0, 2]
/** Runs of a program before healing gives up, where a request says nothing else. */
export const MAX_ATTEMPTS = 10

/** Characters of each stream in the prompt. */
const SHOWN_CHARS = 12_000
const MAX_REFINEMENTS = 3

/** Null when the budget ended it. */
async function withinBudget<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof FaultlineError && error.code === 'BUDGET_EXHAUSTED') return null
    throw error
  }
}

const KILLS = {
  time: 'it did not end in time and was killed',
  memory: 'it took too much memory and was killed',
  output: 'it printed too much and was killed',
  disk: 'it wrote too much and was killed',
  cancelled: 'it was cancelled',
}

/** How a run ended, as the end of a sentence. */
export function endOf({ exitCode, killedBy }: Pick<ProgramRun, 'exitCode' | 'killedBy'>): string {
  if (killedBy !== null) return KILLS[killedBy]
  return exitCode === null ? 'it was killed' : `exit code ${exitCode}`
}

/** Asks for the change that mends a failed run. */
export function errorPrompt({
  specification,
  run,
  context,
}: {
  specification: string
  run: Pick<ProgramRun, 'stdout' | 'stderr' | 'exitCode' | 'killedBy'>
  context: string
}): DialogueMessage['content'] {
  return {
    prompt: 'heal',
    slots: {
      specification,
      outcome: endOf(run),
      stdout: { label: 'stdout', text: shortened(run.stdout, SHOWN_CHARS) },
      stderr: { label: 'stderr', text: shortened(run.stderr, SHOWN_CHARS) },
      context:
        context === ''
          ? 'Its output names no line of the files.'
          : [
              'The code that the error names; `>>>` marks the lines of the stack trace:\n\n',
              { label: 'source code', text: context },
            ],
    },
  }
}

/** The seed's exit codes of success, but for 2 where the program never began. */
function isSuccess({ exitCode, stderr, ready }: ProgramRun, codes: readonly number[]): boolean {
  if (ready) return true
  if (exitCode === null || !codes.includes(exitCode)) return false
  return exitCode !== 2 || !isShellFault(stderr)
}

/**
 * gpt-engineer's self-healing: run, and while it fails, ask for a change with the output and the code behind it, apply
 * it, run again. Exit codes alone decide whether it is healed.
 *
 * @throws {FaultlineError} REPLY_TRUNCATED, REPLY_FILTERED: what was whole of the reply is kept, and in the diff.
 */
export async function heal(
  job: JobContext,
  { model, outline, sandbox, diagnose }: HealDeps,
  options: HealOptions,
): Promise<HealResult & { changes: Changes }> {
  const { base, specification, entrypoint, maxAttempts, timeoutMs, network, readyWhen, successExitCodes } = options
  const attempts: HealAttempt[] = []
  const seen = new Set<string>()
  let changes = options.changes ?? NO_CHANGES

  async function ended(stoppedBecause: StopReason): Promise<HealResult & { changes: Changes }> {
    job.progress({
      step: 'run',
      done: attempts.length,
      total: attempts.length,
      message:
        stoppedBecause === 'healed'
          ? `attempt ${attempts.length} succeeded`
          : `stopped after attempt ${attempts.length}: ${stoppedBecause}`,
    })
    const summary = await job.step('heal.result', () => outcomeOf(job, base, changes, { request: specification }))
    return { ...summary, healed: stoppedBecause === 'healed', stoppedBecause, attempts, changes }
  }

  for (let attempt = 1; ; attempt++) {
    job.progress({ step: 'run', done: attempt - 1, total: maxAttempts, message: `attempt ${attempt}: running` })
    const run = await job.step('run', () =>
      runProgram(job, sandbox, {
        argv: scriptArgv(entrypoint),
        base,
        changes,
        network: network ? 'registries' : 'none',
        readyWhen,
        timeoutMs,
      }),
    )
    if (isSuccess(run, successExitCodes)) {
      attempts.push({ ...run, errorSignature: null })
      return ended('healed')
    }
    const { signature, context, shown, isLate } = await job.step('diagnose', async () => ({
      ...(await diagnose({ ...run, ending: endOf(run), entrypoint }, currentFiles(job, base, changes))),
      isLate: job.isOutOfTime(),
    }))
    attempts.push({ ...run, errorSignature: signature })
    if (seen.has(signature)) return ended('same_error')
    seen.add(signature)
    if (attempt === maxAttempts) return ended('max_attempts')
    if (isLate) return ended('budget')
    job.progress({
      step: 'improve',
      done: attempt,
      total: maxAttempts,
      message: `attempt ${attempt} failed (${endOf(run)}): asking for a change`,
    })
    const improved = await withinBudget(
      improveFiles(job, model, {
        base,
        changes,
        shown,
        request: errorPrompt({ specification, run, context }),
        outline,
        asked: '', // the specification says what the program does, not what is to go
        maxRefinements: MAX_REFINEMENTS,
        refusal: options.refusal,
        model: options.model,
        temperature: options.temperature,
      }),
    )
    if (improved === null) return ended('budget')
    changes = improved.changes
    if (improved.cut?.code === 'BUDGET_EXHAUSTED') return ended('budget')
    if (improved.cut !== null) {
      await job.step('heal.result', () => outcomeOf(job, base, changes, { request: specification }))
      throw improved.cut
    }
    if (improved.touched.length === 0) return ended('no_change')
  }
}
