import { toWire } from '../../../contract/wire.ts'
import { PlanSchema, type FeaturePlan } from '../../../contract/feature.ts'
import type { DialogueMessage } from '../../../core/dialogue.ts'
import { FaultlineError } from '../../../core/errors.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { AskModel } from '../../steps/model/ask-model.ts'
import { replied, says } from '../../steps/model/dialogues.ts'
import type { FeatureRules } from '../rules.ts'
import { PLAN_JSON, readPlan, type ReadPlan } from './plan-answer.ts'

/** A request, and what the planner is shown with it. */
export interface PlanRequest {
  request: string
  /** Tree and key files of the project. */
  overview: string
  rules: FeatureRules
  /** Why a file may not be changed; null for one that may. */
  refusal: (path: string) => Promise<string | null>
  /** A plan that a person rejected, and with which words. */
  earlier?: { plan: FeaturePlan; comment: string }
  /** How often the coder will be told what failed. */
  maxRetries?: number
  model?: string
  temperature?: number
}

/** How often the planner is asked: a plan that cannot be used is asked for once more. */
const MAX_ASKED = 2
const MAX_ANSWER_TOKENS = 8_192
const MAX_PROBLEMS = 20

/** Where the agent stands, for its system prompt. */
interface AgentState {
  branch: string | null
  pendingFiles: readonly string[]
  lastError: string | null
  maxRetries: number
}

const NOTHING_YET: AgentState = { branch: null, pendingFiles: [], lastError: null, maxRetries: 3 }

const named = (text: string): { label: string; text: string } => ({ label: 'state', text })

/** The system message of the agent: what it may do and must not, and where it stands. */
export const agentSystem = (
  { allowedPaths }: Pick<FeatureRules, 'allowedPaths'>,
  { branch, pendingFiles, lastError, maxRetries }: AgentState = NOTHING_YET,
): DialogueMessage => ({
  role: 'system',
  content: {
    prompt: 'feature-system',
    slots: {
      allowed: allowedPaths.map(path => `\`${path}\``).join(', '),
      retries: String(maxRetries),
      branch: branch === null ? 'none yet' : named(branch),
      pending: pendingFiles.length === 0 ? 'none' : named(pendingFiles.join('\n')),
      lastError: lastError === null ? 'none' : named(lastError),
    },
  },
})

/** What the planner is asked first. */
export function planDialogue({ request, overview, rules, earlier, maxRetries }: PlanRequest): DialogueMessage[] {
  const system = agentSystem(rules, { ...NOTHING_YET, ...(maxRetries === undefined ? {} : { maxRetries }) })
  const asked = says({
    prompt: 'feature-plan',
    slots: {
      overview: { label: 'project', text: overview },
      request,
      paths: `schema: \`${rules.paths.schema}\`, tool: \`${rules.paths.tool}\`, test: \`${rules.paths.test}\``,
      prefix: rules.branchPrefix,
    },
  })
  if (earlier === undefined) return [system, asked]
  return [
    system,
    asked,
    replied(JSON.stringify(toWire(PlanSchema, earlier.plan))),
    says({ prompt: 'feature-plan-comment', slots: { comment: { label: 'comment', text: earlier.comment } } }),
  ]
}

/** Why no plan came of it. */
function refused({ problems, outOfScope }: Extract<ReadPlan, { problems: string[] }>): FaultlineError {
  if (problems.length > 0) {
    return new FaultlineError(
      'PLAN_INVALID',
      `The planner gave no plan that can be used. ${problems.slice(0, MAX_PROBLEMS).join(' ')}`,
      'Say in the request what is to be stored or done and how it is called, or ask another model.',
    )
  }
  return new FaultlineError(
    'OUT_OF_SCOPE',
    `The plan insists on changes that a feature may not make here. ${outOfScope.slice(0, MAX_PROBLEMS).join(' ')}`,
    'Have a person make that change, or widen allowed_paths (PATCH /projects/{name}, or [features] of ' +
      '.faultline.toml on the default branch).',
  )
}

/** The plan that a reply holds; the last one, where it thinks aloud before. */
async function planIn(text: string, { jsonValuesIn }: AskModel, { request, rules, refusal }: PlanRequest) {
  const { values, problem } = jsonValuesIn(text)
  if (values.length === 0) return { problems: [problem], outOfScope: [] }
  const limits = { branchPrefix: rules.branchPrefix, request, refusal }
  const read: ReadPlan[] = []
  for (const value of values) read.push(await readPlan(value, limits))
  return read.findLast(one => 'plan' in one) ?? read.at(-1) ?? { problems: [problem], outOfScope: [] }
}

/**
 * Has a model plan a feature, as steps; a plan that cannot be used is asked for once more with the reasons.
 *
 * @throws {FaultlineError} PLAN_INVALID; OUT_OF_SCOPE: the model insists on files that may not be changed. What
 * `askModel` throws.
 */
export async function makePlan(job: JobContext, deps: AskModel, request: PlanRequest): Promise<FeaturePlan> {
  const { model, temperature } = request
  const messages = planDialogue(request)
  for (let asked = 1; ; asked++) {
    const options = { maxOutputTokens: MAX_ANSWER_TOKENS, json: PLAN_JSON, model, temperature }
    const reply = await deps.askModel(job, { name: 'plan', messages: [...messages], ...options })
    if (reply.cut !== null) throw reply.cut
    const read = await planIn(reply.text, deps, request)
    if ('plan' in read) return read.plan
    if (asked === MAX_ASKED) throw refused(read)
    const problems = [...read.problems, ...read.outOfScope].slice(0, MAX_PROBLEMS)
    job.log(`The plan cannot be used; the planner is asked again. ${problems.join(' ')}`)
    const text = problems.map(problem => `- ${problem}`).join('\n')
    messages.push(
      replied(reply.text),
      says({ prompt: 'feature-plan-again', slots: { problems: { label: 'problems', text } } }),
    )
  }
}
