import type { GenerateInput } from '../../contract/generation.ts'
import type { GenerateResult, HealAttempt, ProgramRun } from '../../contract/generation-results.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { clarify } from './clarify.ts'
import { snapshotFiles } from '../steps/base/base-files.ts'
import { confirmRun, execute } from '../steps/program/execute.ts'
import { ENTRYPOINT } from '../steps/program/entrypoint.ts'
import { heal, MAX_ATTEMPTS, SUCCESS_EXIT_CODES, type HealDeps } from '../steps/program/heal.ts'
import { filesOf } from '../steps/base/kept-files.ts'
import { createPhases } from '../steps/phases.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { GENERATE_REQUEST } from './body.ts'
import { openingOf, systemOf } from './dialogue.ts'
import { writeCode } from './write-code.ts'
import { writeEntrypoint } from './write-entrypoint.ts'

/** What generating needs. */
type GenerateDeps = HealDeps

const MAX_QUESTIONS = 10

const CODE_FROM = ['prompt', 'mode', 'files', 'max_questions', 'model', 'temperature']

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

const readInput = (input: JsonObject): GenerateInput =>
  readStoredBody(input, { type: GENERATE_REQUEST.type, url: GENERATE_REQUEST.route.url, texts: ['prompt'] })

/** gpt-engineer's generation: questions where they are wanted, the code, a script that runs it, and the run. */
export function createGeneratePipeline(deps: GenerateDeps): JobDefinition {
  const { model, sandbox } = deps
  return {
    projectName: () => null,
    exclusiveKey: () => null,
    consumes: { files: ['files'], clarify: CODE_FROM, gen_code: CODE_FROM, gen_entrypoint: CODE_FROM },
    async run(job) {
      const input = readInput(job.input)
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
        return (await result()) satisfies GenerateResult
      }
      if (!wantsHealing) {
        return {
          ...(await result()),
          run: await execute(job, sandbox, { entrypoint: ENTRYPOINT, network }),
        } satisfies GenerateResult
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
      return { ...(await result()), run: runOf(healed.attempts.at(-1)), heal: healed } satisfies GenerateResult
    },
  }
}
