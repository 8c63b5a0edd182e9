import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '../core/type.ts'
import { visibilityOf } from '../core/access.ts'
import type { JsonObject } from '../core/job.ts'
import { toWireJob } from '../contract/job-answer.ts'
import { JobParams, JobsQuery, ReplyBodySchema, RetryBody, type RetryOverrides } from '../contract/job.ts'
import { JobHeaders, JobQuery, WaitQuery } from '../contract/primitives.ts'
import { problems } from '../contract/problem.ts'
import { decodeNumberCursor, encodeCursor } from '../core/cursor.ts'
import { answerType, paintFor, sendWritten, WRITTEN_TYPES } from '../http/answer-type.ts'
import { jobAs } from '../text/written.ts'
import { actorOf } from '../http/actor.ts'
import { answerWithJob, idempotencyOf, waitSeconds } from '../http/job-answer.ts'
import { validateBody } from '../http/validate-body.ts'

const jobRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app
  const { jobs } = services

  app.get(
    '/jobs',
    {
      schema: {
        operationId: 'listJobs',
        summary: 'Jobs, newest first',
        tags: ['Jobs'],
        querystring: JobsQuery,
        response: {
          200: Type.Object({
            data: Type.Array(Type.Ref('Job')),
            next_cursor: Type.Union([Type.String(), Type.Null()]),
          }),
          ...problems(400, 401),
        },
      },
    },
    async ({ query, access, keyName }) => {
      const { type, status, project_name: projectName, limit, cursor } = query
      const filter = { type, status, projectName, visibleTo: visibilityOf(access, keyName) }
      const page = await jobs.list(filter, limit + 1, decodeNumberCursor(cursor))
      const last = page[limit - 1]
      return {
        data: page.slice(0, limit).map(toWireJob),
        next_cursor: page.length > limit && last !== undefined ? encodeCursor(last.seq) : null,
      }
    },
  )

  app.get(
    '/jobs/:id',
    {
      schema: {
        operationId: 'getJob',
        summary: 'A job; with ?wait= the answer is held until its status changes',
        tags: ['Jobs'],
        params: JobParams,
        querystring: JobQuery,
        produces: WRITTEN_TYPES,
        response: { 200: Type.Ref('Job'), ...problems(400, 401, 404, 406) },
      },
    },
    async (request, reply) => {
      const wanted = answerType(request)
      const waitMs = waitSeconds(request) * 1000
      const job = toWireJob(
        waitMs > 0
          ? await jobs.statusChanged(
              request.params.id,
              waitMs,
              AbortSignal.any([request.clientSignal, services.draining]),
            )
          : await jobs.get(request.params.id),
      )
      return wanted === 'text' || wanted === 'markdown'
        ? sendWritten(reply, wanted, jobAs(wanted, job, paintFor(request)))
        : job
    },
  )

  app.delete(
    '/jobs/:id',
    {
      schema: {
        operationId: 'deleteJob',
        summary: 'Forget an ended job',
        tags: ['Jobs'],
        params: JobParams,
        response: { 204: Type.Null(), ...problems(401, 404, 409) },
      },
    },
    async (request, reply) => {
      await jobs.remove(request.params.id, actorOf(request))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/jobs/:id/reply',
    {
      schema: {
        operationId: 'replyToJob',
        summary: 'Answer what a waiting job asks',
        description:
          'Exactly one of the fields, by the `kind` of the request: `clarification` takes `answer` (empty or `c` = ' +
          'skip) or `skip`, `budget` takes `budget` (limits that replace those of the same name) or `skip` (end ' +
          'with what there is), every other kind takes `decision`. A rejection of `review_changes`, ' +
          '`review_plan` or `approve_delivery` may have a `comment`: the model is asked again with it, and there is ' +
          'something new to decide about. With `asked` of the job a reply is taken for that request alone. What does ' +
          'not fit is refused with 409, and `fix` says what is allowed.',
        tags: ['Jobs'],
        params: JobParams,
        querystring: WaitQuery,
        body: ReplyBodySchema,
        response: { 200: Type.Ref('Job'), 202: Type.Ref('Job'), ...problems(400, 401, 404, 409) },
      },
    },
    async (request, reply) => {
      const { asked, ...body } = request.body
      const { id } = await jobs.reply(request.params.id, body, request.keyName, request.id, asked)
      return answerWithJob(services, request, reply, id)
    },
  )

  app.post(
    '/jobs/:id/cancel',
    {
      schema: {
        operationId: 'cancelJob',
        summary: 'End a job at once, whatever it is doing',
        tags: ['Jobs'],
        params: JobParams,
        response: { 202: Type.Ref('Job'), ...problems(401, 404, 409) },
      },
    },
    async (request, reply) => reply.code(202).send(toWireJob(await jobs.cancel(request.params.id, actorOf(request)))),
  )

  app.post(
    '/jobs/:id/retry',
    {
      schema: {
        operationId: 'retryJob',
        summary: 'Start an ended job again as a new one',
        description:
          'The body may override fields of the first body; with `from_step` the finished steps before that one are ' +
          'not repeated.',
        tags: ['Jobs'],
        params: JobParams,
        headers: JobHeaders,
        querystring: WaitQuery,
        body: RetryBody,
        response: { 200: Type.Ref('Job'), 202: Type.Ref('Job'), ...problems(400, 401, 404, 409, 429) },
      },
    },
    async (request, reply) => {
      const { from_step: fromStep, ...overrides } = (request.body ?? {}) as JsonObject & RetryOverrides
      const earlier = await jobs.get(request.params.id)
      const input = await services.completeRetry({
        type: earlier.type,
        input: await jobs.input(earlier.id),
        overrides,
        validate: (schema, body) => validateBody(request, schema, body),
      })
      const { job, replayed } = await jobs.retry(earlier.id, input, {
        fromStep,
        ...actorOf(request),
        idempotency: idempotencyOf(request, { id: earlier.id, body: request.body ?? null }),
      })
      if (replayed) reply.header('idempotency-replayed', 'true')
      return answerWithJob(services, request, reply, job.id)
    },
  )
}

export default jobRoutes
