import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '../core/type.ts'
import { toWireEvent } from '../contract/job-answer.ts'
import { JobEventSchema, JobParams } from '../contract/job.ts'
import { problems } from '../contract/problem.ts'

/** How far behind a reader may fall. */
const MAX_EVENTS_BEHIND = 500
const MAX_CHARS_BEHIND = 256 * 1024
const SLOW_CHECK_MS = 250

function lastEventId(request: FastifyRequest): number {
  const given = request.headers['last-event-id']
  return typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : 0
}

const jobEventRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app
  const { jobs } = services

  /**
   * A reader who takes nothing while much happens is cut off; what happened before it came may take as long as it
   * likes.
   *
   * @param atFirst - The latest event when it came.
   */
  function cutWhenSlow(id: string, atFirst: number, stream: ReturnType<FastifyReply['openEventStream']>) {
    let sending: number | null = null
    const check = async (event: number): Promise<void> => {
      const { events, chars } = await jobs.eventsAfter(id, Math.max(event, atFirst))
      if (events > MAX_EVENTS_BEHIND || chars > MAX_CHARS_BEHIND) stream.cut()
    }
    const timer = setInterval(() => {
      if (sending !== null) check(sending).catch(() => stream.cut())
    }, SLOW_CHECK_MS)
    return {
      sending(event: number): void {
        sending = event
      },
      taken(): void {
        sending = null
      },
      end: () => clearInterval(timer),
    }
  }

  async function streamEvents(
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
    { after, last }: { after: number; last: number },
  ): Promise<void> {
    const { id } = request.params
    const stream = reply.openEventStream()
    const watch = cutWhenSlow(id, last, stream)
    let isOver = false
    try {
      for await (const event of jobs.follow(id, after, AbortSignal.any([request.clientSignal, services.draining]))) {
        isOver = event.event === 'done'
        stream.send(event.event, { ...toWireEvent(event).data, at: event.at }, event.id)
        watch.sending(event.id)
        await stream.drained()
        watch.taken()
      }
    } catch (error) {
      stream.sendProblem(error)
    } finally {
      watch.end()
      stream.end(services.draining.aborted && !isOver)
    }
  }

  app.get(
    '/jobs/:id/events',
    {
      schema: {
        operationId: 'listJobEvents',
        summary: 'What happened in a job; live with Accept: text/event-stream',
        description:
          'Event ids grow by one. As a stream, `Last-Event-ID` resumes after that event (what is no number is ' +
          'ignored, one beyond the last event stands for that), a comment keeps the connection alive every 15 s, ' +
          'and a reader who falls 500 events or 256 KiB behind is cut off and may come again.',
        tags: ['Jobs'],
        produces: ['application/json', 'text/event-stream'],
        params: JobParams,
        querystring: Type.Object(
          { after: Type.Integer({ minimum: 0, default: 0, description: 'Only events with a greater id' }) },
          { additionalProperties: false },
        ),
        headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 20 })) }),
        response: { 200: Type.Object({ data: Type.Array(JobEventSchema) }), ...problems(400, 401, 404) },
      },
    },
    async (request, reply) => {
      // A number beyond the last event is of another job, or of one that was made anew: nobody waits for it to be
      // reached.
      const asked = Math.max(request.query.after, lastEventId(request))
      const last = await jobs.lastEvent(request.params.id)
      const after = Math.min(asked, last)
      if (!/\btext\/event-stream\b/.test(request.headers.accept ?? '')) {
        return { data: (await jobs.events(request.params.id, after)).map(toWireEvent) }
      }
      await streamEvents(request, reply, { after, last })
      return reply
    },
  )
}

export default jobEventRoutes
