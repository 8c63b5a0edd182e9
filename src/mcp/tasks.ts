import { createHash } from 'node:crypto'
import { fromJsonSchema, ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server'
import type { JobAnswer, ReplyBody } from '../contract/job.ts'
import { isObject } from '../core/is-object.ts'
import { textOf } from './answer.ts'
import type { Asked } from './asked.ts'
import { pathOf, type Caller } from './caller.ts'
import { DEFAULT_TOKENS } from './fit.ts'
import { shownJob } from './tools/jobs.ts'

/** The extension of the protocol by which long work is a task that a client asks after. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const POLL_MS = 2_000
const KEY_CHARS = 16
const INTERNAL_ERROR = -32603

const TaskParams = fromJsonSchema<{ taskId: string }>({
  type: 'object',
  properties: { taskId: { type: 'string', minLength: 1, maxLength: 64 } },
  required: ['taskId'],
})

/** What the envelope of a request says that its client can do. */
function capabilitiesIn(envelope: unknown): Record<string, unknown> {
  const capabilities = isObject(envelope) ? envelope[CAPABILITIES_KEY] : undefined
  return isObject(capabilities) ? capabilities : {}
}

/** Whether a client takes long work as a task: it says so with each request. */
export function hasTasks({ _meta: envelope }: Record<string, unknown>): boolean {
  const { extensions } = capabilitiesIn(envelope)
  return isObject(extensions) && TASKS_EXTENSION in extensions
}

const STATUSES = {
  queued: 'working',
  running: 'working',
  waiting: 'input_required',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const

type TaskJob = Pick<JobAnswer, 'id' | 'status' | 'created_at' | 'updated_at'>

const taskOf = ({ id, status, created_at: createdAt, updated_at: lastUpdatedAt }: TaskJob) => ({
  taskId: id,
  status: STATUSES[status],
  createdAt,
  lastUpdatedAt,
  ttlMs: null,
  pollIntervalMs: POLL_MS,
})

/** The result of a call that started a job, for a client that has tasks. */
export const startedTask = (job: TaskJob) => ({ resultType: 'task' as const, ...taskOf(job) })

/** Names what a job asks now: the next thing that it asks has another name. */
const keyOf = ({ id, updated_at: at, request }: JobAnswer): string =>
  createHash('sha256')
    .update(JSON.stringify([id, at, request]))
    .digest('hex')
    .slice(0, KEY_CHARS)

const text = (description: string) => ({ type: 'string', description })
const DECISION = {
  type: 'object',
  properties: {
    decision: { type: 'string', enum: ['approve', 'reject'] },
    comment: text('With reject: what should be different; then it is tried again'),
  },
  required: ['decision'],
}
const ANSWER = { type: 'object', properties: { answer: text('Empty: skip the question') }, required: ['answer'] }
const BUDGET = {
  type: 'object',
  properties: {
    tokens: { type: 'integer', minimum: 1, description: 'The new limit' },
    seconds: { type: 'number', minimum: 1 },
    usd: { type: 'number', minimum: 0 },
    end: { type: 'boolean', description: 'End the job with what there is' },
  },
}

function formFor({ request }: JobAnswer): object {
  if (request?.kind === 'clarification') return ANSWER
  return request?.kind === 'budget' ? BUDGET : DECISION
}

/** A form that was sent and does not say what is wanted. Nothing is taken for granted: it may end a job, or commit. */
function unclear(wanted: string): ProtocolError {
  const message = `The form does not say what is wanted: ${wanted}. Nothing was done; the job still waits.`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}

function decisionOf({ decision, comment }: Record<string, unknown>): ReplyBody {
  if (decision !== 'approve' && decision !== 'reject') throw unclear('"decision" must be "approve" or "reject"')
  return { decision, ...(typeof comment === 'string' && comment.trim() !== '' ? { comment } : {}) }
}

function answerOf({ answer }: Record<string, unknown>): ReplyBody {
  if (typeof answer !== 'string') throw unclear('"answer" must be a string; an empty one skips the question')
  return { answer }
}

function budgetOf({ end, ...limits }: Record<string, unknown>): ReplyBody {
  if (Object.keys(limits).length > 0 && end !== true) return { budget: limits }
  if (end !== true) throw unclear('"tokens", "seconds" or "usd" must have a new limit, or "end" be true')
  return { skip: true }
}

/**
 * What a client sent of a form, as the route of replies takes it; null for one that nobody filled in: who declines to
 * answer has not said no to what is asked.
 *
 * @throws {ProtocolError} For a form that was sent without what is asked.
 */
function replyOf({ request }: JobAnswer, response: unknown): ReplyBody | null {
  if (!isObject(response) || request === null) return null
  const { action, content } = response
  if (action === 'decline' || action === 'cancel') return null
  if (action !== 'accept') throw unclear('"action" must be "accept", "decline" or "cancel"')
  const filled = isObject(content) ? content : {}
  if (request.kind === 'clarification') return answerOf(filled)
  return request.kind === 'budget' ? budgetOf(filled) : decisionOf(filled)
}

/** A job as a task: what it asks is a form, where the client shows forms. */
async function detailedTask(job: JobAnswer, envelope: unknown, caller: Caller): Promise<Record<string, unknown>> {
  const task = taskOf(job)
  // its step in our words; what it says beside that may be others'
  const statusMessage = job.progress === null ? {} : { statusMessage: job.progress.step }
  if (task.status === 'working' || task.status === 'cancelled') return { ...task, ...statusMessage }
  const { data, said } = await shownJob(job, DEFAULT_TOKENS, caller)
  const shown = textOf(said)
  if (task.status === 'completed') {
    return { ...task, result: { content: [{ type: 'text', text: shown }], structuredContent: data } }
  }
  if (task.status === 'failed') {
    const { code = 'INTERNAL', message = 'The job failed.', fix = null } = job.error ?? {}
    const data = { code, detail: message, fix }
    return { ...task, error: { code: INTERNAL_ERROR, message: `The job failed with ${code}.`, data } }
  }
  const form = { mode: 'form', message: shown, requestedSchema: formFor(job) }
  const canAsk = 'elicitation' in capabilitiesIn(envelope)
  return {
    ...task,
    inputRequests: canAsk ? { [keyOf(job)]: { method: 'elicitation/create', params: form } } : {},
  }
}

/** Serves what a client asks of tasks; their ids are those of jobs. */
export function addTasks({ server }: McpServer, caller: Caller, asked: Asked): void {
  const jobOf = async (id: string): Promise<JobAnswer> =>
    (await caller.ask({ method: 'GET', path: pathOf`/jobs/${id}` })) as JobAnswer

  // the SDK lifts the envelope and the responses out of the parameters
  server.setRequestHandler('tasks/get', { params: TaskParams }, ({ taskId }, { mcpReq }) =>
    asked(async () => detailedTask(await jobOf(taskId), mcpReq.envelope, caller)),
  )
  server.setRequestHandler('tasks/update', { params: TaskParams }, ({ taskId }, { mcpReq }) =>
    asked(async () => {
      const job = await jobOf(taskId)
      // what an earlier form was about is not taken for an answer to this one
      const reply = job.status === 'waiting' ? replyOf(job, mcpReq.inputResponses?.[keyOf(job)]) : null
      if (reply === null) return {}
      // the job may ask something else since it was read
      const body = { ...reply, ...(job.asked === null ? {} : { asked: job.asked }) }
      await caller.ask({ method: 'POST', path: pathOf`/jobs/${taskId}/reply`, body })
      return {}
    }),
  )
  server.setRequestHandler('tasks/cancel', { params: TaskParams }, ({ taskId }) =>
    asked(async () => {
      await caller.ask({ method: 'POST', path: pathOf`/jobs/${taskId}/cancel` })
      return {}
    }),
  )
}
