import { Type, type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FaultlineError } from '../core/errors.ts'
import type { JobType, JsonObject } from '../core/job.ts'
import { toWireJob } from '../core/wire.ts'
import { JobEventSchema, JobStatusName, JobTypeName } from '../schemas/job.ts'
import { JobHeaders, ListQuery, Nullable, ProjectName, WaitQuery } from '../schemas/primitives.ts'
import { problems } from '../schemas/problem.ts'
import { CloneBody } from '../schemas/project.ts'
import { ResolveBody } from '../schemas/resolution.ts'
import { CiLogBody } from '../schemas/webhook.ts'
import { decodeNumberCursor, encodeCursor } from './cursor.ts'
import { answerWithJob, idempotencyOf, waitSeconds } from './job-answer.ts'

const JobParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })

const jobRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  const { jobs } = services

  app.get('/jobs', {
    schema: {
      operationId: 'listJobs',
      summary: 'Jobs, newest first',
      tags: ['Jobs'],
      querystring: Type.Object({
        ...ListQuery,
        type: Type.Optional(JobTypeName),
        status: Type.Optional(JobStatusName),
        project_name: Type.Optional(ProjectName),
      }, { additionalProperties: false }),
      response: { 200: Type.Object({ data: Type.Array(Type.Ref('Job')), next_cursor: Type.Union([Type.String(), Type.Null()]) }), ...problems(400, 401) },
    },
  }, async ({ query }) => {
    const { type, status, project_name: projectName, limit, cursor } = query
    const page = jobs.list({ type, status, projectName }, limit + 1, decodeNumberCursor(cursor))
    const last = page[limit - 1]
    return { data: page.slice(0, limit).map(toWireJob), next_cursor: page.length > limit && last !== undefined ? encodeCursor(last.seq) : null }
  })

  app.get('/jobs/:id', {
    schema: {
      operationId: 'getJob',
      summary: 'A job; with ?wait= the answer is held until its status changes',
      tags: ['Jobs'],
      params: JobParams,
      querystring: WaitQuery,
      response: { 200: Type.Ref('Job'), ...problems(400, 401, 404) },
    },
  }, async (request) => {
    const waitMs = waitSeconds(request) * 1000
    return toWireJob(waitMs > 0 ? await jobs.statusChanged(request.params.id, waitMs, AbortSignal.any([request.clientSignal, services.closing])) : jobs.get(request.params.id))
  })

  app.delete('/jobs/:id', {
    schema: {
      operationId: 'deleteJob',
      summary: 'Forget an ended job',
      tags: ['Jobs'],
      params: JobParams,
      response: { 204: Type.Null(), ...problems(401, 404, 409) },
    },
  }, async ({ params }, reply) => {
    await jobs.remove(params.id)
    return reply.code(204).send(null)
  })

  app.post('/jobs/:id/cancel', {
    schema: {
      operationId: 'cancelJob',
      summary: 'End a job at once, whatever it is doing',
      tags: ['Jobs'],
      params: JobParams,
      response: { 202: Type.Ref('Job'), ...problems(401, 404, 409) },
    },
  }, async ({ params }, reply) => reply.code(202).send(toWireJob(jobs.cancel(params.id))))

  app.post('/jobs/:id/retry', {
    schema: {
      operationId: 'retryJob',
      summary: 'Start an ended job again as a new one',
      description: 'The body may override fields of the first body; with `from_step` the finished steps before that one are not repeated.',
      tags: ['Jobs'],
      params: JobParams,
      headers: JobHeaders,
      querystring: WaitQuery,
      body: Nullable(Type.Object({ from_step: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) }, { additionalProperties: true, examples: [{}] })),
      response: { 200: Type.Ref('Job'), 202: Type.Ref('Job'), ...problems(400, 401, 404, 409, 429) },
    },
  }, async (request, reply) => {
    const { from_step: fromStep, ...overrides } = (request.body ?? {}) as JsonObject & { from_step?: string }
    const earlier = jobs.get(request.params.id)
    const input = await checkedInput(request, earlier.type, services.retryBody(earlier.id, overrides))
    const { job, replayed } = jobs.retry(earlier.id, input, {
      fromStep,
      keyName: request.keyName,
      idempotency: idempotencyOf(request, { id: earlier.id, body: request.body ?? null }),
    })
    if (replayed) reply.header('idempotency-replayed', 'true')
    return answerWithJob(services, request, reply, job)
  })

  /** The old body with the overrides has to pass the same checks as a new one. */
  async function checkedInput (request: FastifyRequest, type: JobType, body: JsonObject): Promise<JsonObject> {
    const isCiLog = type === 'resolve' && 'log' in body
    const schema = type === 'clone' ? CloneBody : isCiLog ? CiLogBody : type === 'resolve' ? ResolveBody : null
    if (schema === null) throw new FaultlineError('BAD_REQUEST', `Jobs of type ${type} cannot be retried.`)
    const validate = request.getValidationFunction(schema) ?? request.compileValidationSchema(schema, 'body')
    const verdict: unknown = validate(body)
    if (typeof verdict === 'object' && verdict !== null && 'error' in verdict && verdict.error instanceof Error) throw verdict.error
    if (type === 'clone') return services.cloneInput(body)
    return isCiLog ? services.ciLogInput(body as Static<typeof CiLogBody>) : services.resolveInput(body as Static<typeof ResolveBody>)
  }

  app.get('/jobs/:id/events', {
    schema: {
      operationId: 'listJobEvents',
      summary: 'What happened in a job; live with Accept: text/event-stream',
      description: 'Event ids grow by one. As a stream, `Last-Event-ID` resumes after that event, and a comment keeps the connection alive every 15 s.',
      tags: ['Jobs'],
      produces: ['application/json', 'text/event-stream'],
      params: JobParams,
      querystring: Type.Object({ after: Type.Integer({ minimum: 0, default: 0, description: 'Only events with a greater id' }) }, { additionalProperties: false }),
      headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 20 })) }),
      response: { 200: Type.Object({ data: Type.Array(JobEventSchema) }), ...problems(400, 401, 404) },
    },
  }, async (request, reply) => {
    const after = Math.max(request.query.after, lastEventId(request))
    jobs.get(request.params.id)
    if (!/\btext\/event-stream\b/.test(request.headers.accept ?? '')) return { data: jobs.events(request.params.id, after) }
    await streamEvents(request, reply, after)
    return reply
  })

  async function streamEvents (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply, after: number): Promise<void> {
    const stream = reply.openEventStream()
    try {
      for await (const event of jobs.follow(request.params.id, after, AbortSignal.any([request.clientSignal, services.closing]))) {
        stream.send(event.event, { ...event.data, at: event.at }, event.id)
        await stream.drained()
      }
    } catch (error) {
      stream.sendProblem(error)
    } finally {
      stream.end()
    }
  }
}

function lastEventId (request: FastifyRequest): number {
  const given = request.headers['last-event-id']
  return typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : 0
}

export default jobRoutes
