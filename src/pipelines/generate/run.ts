import type { GenerateInput } from '../../contract/generation.ts'
import type { GenerateResult, HealAttempt, ProgramRun } from '../../contract/generation-results.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { clarify } from './clarify.ts'
import { snapshotFiles } from '../steps/base/base-files.ts'
import { confirmRun, execute } from '../steps/program/execute.ts'
import { ENTRYPOINT } from '../steps/program/entrypoint.ts'
import { heal, MAX_ATTEMPTS, SUCCESS_EXIT_CODES, type HealDeps } from '../steps/program/heal.ts'
import { filesOf } from '../steps/base/kept-files.ts'
import { createPhases } from '../steps/phases.ts'
import { openingOf, systemOf } from './dialogue.ts'
import { writeCode } from './write-code.ts'
import { writeEntrypoint } from './write-entrypoint.ts'

/** What generating needs. */
export type GenerateDeps = HealDeps

const MAX_QUESTIONS = 10

const phasesOf = ({ mode }: GenerateInput): string[] => [
  ...(mode === 'clarified' ? ['clarify'] : []),
  'gen_code',
  'gen_entrypoint',
  'execute_entrypoint',
]

function runOf(attempt: HealAttempt | undefined): ProgramRun | null {
  if (attempt === undefined) return null
  const { errorSignature: _signature, ...run } = attempt
  return run
}

/** gpt-engineer's generation: questions where they are wanted, the code, a script that runs it, and the run. */
export async function runGenerate(job: JobContext, deps: GenerateDeps, input: GenerateInput): Promise<GenerateResult> {
  const { model, sandbox } = deps
  const { mode = 'standard', network = false, self_heal: wantsHealing = false } = input
  const enter = createPhases(job, phasesOf(input))
  const opening = openingOf(input)
  const choice = { model: input.model, temperature: input.temperature }

  if (input.files !== undefined) await job.step('files', () => job.files.put(filesOf(input.files)))
  if (mode === 'clarified') enter('clarify', 'finding out what is open')
  const maxQuestions = input.max_questions ?? MAX_QUESTIONS
  const turns = mode === 'clarified' ? await clarify(job, model, { opening, maxQuestions, ...choice }) : [opening]
  enter('gen_code', 'writing the code')
  await writeCode(job, deps, { messages: [systemOf(mode), ...turns], asked: input.prompt, ...choice })
  enter('gen_entrypoint', 'writing the script that runs it')
  await writeEntrypoint(job, model, choice)

  enter('execute_entrypoint', 'running it')
  const result = async () => ({ files: await job.files.list(), entrypoint: ENTRYPOINT, run: null, heal: null })
  // A request for healing is one for runs: a person is asked only when it says so.
  const byDefault = wantsHealing ? 'always' : 'ask'
  if (!(await confirmRun(job, { entrypoint: ENTRYPOINT, whether: input.execute ?? byDefault }))) {
    return await result()
  }
  if (!wantsHealing) {
    return {
      ...(await result()),
      run: await execute(job, sandbox, { entrypoint: ENTRYPOINT, network }),
    }
  }
  const { changes: _changes, ...healed } = await heal(job, deps, {
    base: await snapshotFiles(job, sandbox),
    specification: input.prompt,
    entrypoint: ENTRYPOINT,
    maxAttempts: MAX_ATTEMPTS,
    network,
    successExitCodes: SUCCESS_EXIT_CODES,
    ...choice,
  })
  return { ...(await result()), run: runOf(healed.attempts.at(-1)), heal: healed }
}
