import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { JobEventSchema, JobParams } from '../schemas/job.ts'
import { problems } from '../schemas/problem.ts'

const jobEventRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  const { jobs } = services

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

export default jobEventRoutes
