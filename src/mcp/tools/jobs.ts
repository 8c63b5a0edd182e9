import type { Static, TSchema } from 'typebox'
import { BisectBody } from '../../contract/bisect.ts'
import { FeatureBody } from '../../contract/feature.ts'
import { FixBody, GenerateBody } from '../../contract/generation.ts'
import { PIPELINE_PATHS } from '../../contract/job-names.ts'
import { JobParams, JobSchema, ReplyBodySchema, type JobAnswer, type JobRequestAnswer } from '../../contract/job.ts'
import { Count, Nullable } from '../../contract/primitives.ts'
import { CloneBodySchema } from '../../contract/project.ts'
import { TaskBody } from '../../contract/task.ts'
import { Type } from '../../core/type.ts'
import { plain } from '../../text/paint.ts'
import { jobAs } from '../../text/written.ts'
import { pathOf, type Caller } from '../caller.ts'
import { DEFAULT_TOKENS, fitBoth, MaxTokens } from '../fit.ts'
import { defineTool, READS, type Hints, type Tool, type ToolAnswer } from '../tool.ts'

const STARTED_TOKENS = 3_000
const Wait = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 60,
    description: 'Seconds to wait for its status to change; default 0',
  }),
)

const JobOutput = Type.Object({
  ...JobSchema.properties,
  tokens: { ...Count, description: 'Tokens of this answer, its data and its text together (o200k)' },
  cut: Nullable(Type.String({ description: 'What was cut, and how to have the rest; null: nothing' })),
})

/** How each kind of request is replied to, in our words. */
const REPLIES: Readonly<Record<JobRequestAnswer['kind'], string>> = {
  clarification: 'reply_to_job with "answer", or "skip": true',
  budget: 'reply_to_job with "budget", or "skip": true to end with what there is',
  confirm_run: 'reply_to_job with "decision": "approve" or "reject"',
  review_changes: 'reply_to_job with "decision": "approve" or "reject", and a "comment" to have it done otherwise',
  review_plan: 'reply_to_job with "decision": "approve" or "reject", and a "comment" to have it planned otherwise',
  approve_delivery: 'reply_to_job with "decision": "approve" or "reject", and a "comment" to have it done otherwise',
}

/** Names that our pipelines give to what they ask. */
const QUESTION_NAME = /^\w{1,100}(?::\d{1,9})?$/

/** What to do about a job, in our words. */
function nextStep({ status, request, asked }: JobAnswer): string {
  if (status === 'queued' || status === 'running') return 'get_job with "wait": 60 says when that changes.'
  if (status === 'waiting' && request !== null) {
    const name = asked ?? ''
    const named = QUESTION_NAME.test(name) ? `, and "asked": "${name}"` : ''
    const how = `${REPLIES[request.kind]}${named}`
    return `It asks something (${request.kind}): ${how}. A person should decide about changes.`
  }
  return ''
}

/** A job as every tool about one answers it. */
export async function shownJob(
  job: JobAnswer,
  maxTokens: number,
  caller: Caller,
): Promise<ToolAnswer<Static<typeof JobOutput>>> {
  const written = jobAs('text', job, plain)
  const more = 'get_job with a larger max_tokens shows more'
  const { value, text, tokens, cut } = await fitBoth({ value: job, written, maxTokens, more }, caller)
  return {
    data: { ...value, tokens, cut },
    said: {
      sentences: [`Job ${job.id} is ${job.status}.`, nextStep(job), cut ?? ''],
      quoted: { label: 'job', text },
    },
  }
}

const Id = JobParams.properties.id

export const getJob = defineTool({
  name: 'get_job',
  title: 'Get a job',
  description:
    'How a job goes: its status, what it asks when it is `waiting` (with the diff), its result or error. With `wait` ' +
    'the answer is held until the status changes.',
  input: Type.Object({ id: Id, wait: Wait, max_tokens: MaxTokens }, { additionalProperties: false }),
  output: JobOutput,
  hints: READS,
  async run({ id, wait = 0, max_tokens: maxTokens = DEFAULT_TOKENS }, caller) {
    const path = `${pathOf`/jobs/${id}`}?wait=${wait}`
    return await shownJob((await caller.ask({ method: 'GET', path })) as JobAnswer, maxTokens, caller)
  },
})

export const replyToJob = defineTool({
  name: 'reply_to_job',
  title: 'Reply to a job',
  description:
    'Answers what a waiting job asks. By the kind of its request: `clarification` takes `answer` or `skip`, ' +
    '`budget` takes `budget` or `skip`, every other kind takes `decision` (`approve` or `reject`); a rejection with ' +
    'a `comment` has the model try again. Send `asked` of get_job along: then nothing is answered that nobody has ' +
    'read. Approving changes commits them: show them to the user first.',
  input: Type.Object(
    { id: Id, ...ReplyBodySchema.properties, wait: Wait, max_tokens: MaxTokens },
    { additionalProperties: false },
  ),
  output: JobOutput,
  needs: 'write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run({ id, wait = 0, max_tokens: maxTokens = DEFAULT_TOKENS, ...body }, caller) {
    const path = `${pathOf`/jobs/${id}/reply`}?wait=${wait}`
    return await shownJob((await caller.ask({ method: 'POST', path, body })) as JobAnswer, maxTokens, caller)
  },
})

export const cancelJob = defineTool({
  name: 'cancel_job',
  title: 'Cancel a job',
  description: 'Ends a job at once, whatever it is doing.',
  input: Type.Object({ id: Id }, { additionalProperties: false }),
  output: JobOutput,
  needs: 'write',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ id }, caller) {
    const job = (await caller.ask({ method: 'POST', path: pathOf`/jobs/${id}/cancel` })) as JobAnswer
    return await shownJob(job, STARTED_TOKENS, caller)
  },
})

type Fields = Record<string, TSchema>

/** The fields of a body that an agent has a use for: where a result is posted is no business of its. */
function without<Properties extends Fields>(properties: Properties, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))
}

const NOT_FOR_AGENTS = ['callback_url', 'notify', 'dry_run', 'ssh_url']
const STARTS: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true }

interface Starting {
  name: string
  title: string
  description: string
  path: string
  body: { properties: Fields }
  hints?: Hints
}

/** A tool that starts a job and gives its id at once. */
function startingTool({ path, body, hints = STARTS, description, ...names }: Starting): Tool {
  return defineTool({
    ...names,
    description: `${description} Starts a job and gives its id at once; get_job says how it goes and what it asks.`,
    input: Type.Object(without(body.properties, NOT_FOR_AGENTS), { additionalProperties: false }),
    output: JobOutput,
    needs: 'write',
    startsJob: true,
    hints,
    async run(args, caller) {
      return await shownJob(
        (await caller.ask({ method: 'POST', path, body: args })) as JobAnswer,
        STARTED_TOKENS,
        caller,
      )
    },
  })
}

export const STARTING_TOOLS: readonly Tool[] = [
  startingTool({
    name: 'clone_repository',
    title: 'Clone a repository',
    description:
      'Clones a repository by its URL and indexes it as a project; the same repository again brings it up to date.',
    path: '/clone',
    body: CloneBodySchema,
    hints: { ...STARTS, idempotentHint: true },
  }),
  startingTool({
    name: 'fix_error',
    title: 'Fix an error',
    description:
      'From a stack trace to a checked change on a branch: a model proposes it, a command (`verify.command`, or the ' +
      "project's tests) runs before and after, and the job waits for an approval (`review_changes`).",
    path: PIPELINE_PATHS.fix,
    body: FixBody,
  }),
  startingTool({
    name: 'run_task',
    title: 'Run a task',
    description: 'Has a task in words done by a coder, a reviewer and the checks of the project, on a branch.',
    path: PIPELINE_PATHS.task,
    body: TaskBody,
  }),
  startingTool({
    name: 'build_feature',
    title: 'Build a feature',
    description: 'Plans, codes, checks and delivers a feature that is asked for in words, and waits for an approval.',
    path: PIPELINE_PATHS.feature,
    body: FeatureBody,
  }),
  startingTool({
    name: 'generate_program',
    title: 'Generate a program',
    description: 'Generates a program with the script that runs it from a prompt; no project is needed.',
    path: PIPELINE_PATHS.generate,
    body: GenerateBody,
  }),
  startingTool({
    name: 'bisect',
    title: 'Find the commit that broke it',
    description:
      'Runs a command at commits between a good and a bad one, in the sandbox, until the first bad is found.',
    path: PIPELINE_PATHS.bisect,
    body: BisectBody,
  }),
]
