import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  FeedbackBody,
  KeptResolutionSchema,
  ResolutionParams,
  ResolutionQuery,
  ResolutionsQuery,
  ResolutionsSchema,
} from '../contract/kept-resolution.ts'
import { seesProject, type Access } from '../core/access.ts'
import { problems } from '../contract/problem.ts'
import { decodeNumberCursor, encodeCursor } from '../core/cursor.ts'
import { Type } from '../core/type.ts'
import { answerType, paintFor, sendWritten, WRITTEN_TYPES } from '../http/answer-type.ts'
import { resolutionAs } from '../text/written.ts'

/** The projects whose answers a list shows; null for all. */
function projectsShown({ projects }: Access, name: string | undefined): readonly string[] | null {
  if (name === undefined) return projects
  return projects === null || projects.includes(name.toLowerCase()) ? [name] : []
}

const resolutionRoutes: FastifyPluginAsyncTypebox = async app => {
  const { resolutions } = app.services

  app.get(
    '/resolutions',
    {
      schema: {
        operationId: 'listResolutions',
        summary: 'Kept answers to stack traces, newest first, with what people thought of them',
        tags: ['Resolving'],
        querystring: ResolutionsQuery,
        response: { 200: ResolutionsSchema, ...problems(400, 401) },
      },
    },
    async ({ query, access }) => {
      const { project_name: name, fingerprint, with_feedback: judged, limit, cursor } = query
      const page = await resolutions.list(
        { projectNames: projectsShown(access, name), fingerprint, withFeedback: judged === 'true' },
        limit + 1,
        decodeNumberCursor(cursor),
      )
      const last = page[limit - 1]
      return {
        data: page.slice(0, limit).map(({ seq: _seq, ...row }) => row),
        next_cursor: page.length > limit && last !== undefined ? encodeCursor(last.seq) : null,
      }
    },
  )

  app.get(
    '/resolutions/:id',
    {
      schema: {
        operationId: 'getResolution',
        summary: 'An answer to a stack trace, as long as it is kept (RETENTION_DAYS)',
        description: 'With the suspects that followed on it. Secrets are replaced.',
        tags: ['Resolving'],
        params: ResolutionParams,
        querystring: ResolutionQuery,
        produces: WRITTEN_TYPES,
        response: { 200: KeptResolutionSchema, ...problems(400, 401, 404, 406) },
      },
    },
    async (request, reply) => {
      const wanted = answerType(request)
      const { id } = request.params
      const sees = (name: string): boolean => seesProject(request.access, name)
      const found = await resolutions.get(id, sees)
      if (wanted === 'text' || wanted === 'markdown') {
        return sendWritten(reply, wanted, resolutionAs(wanted, found, paintFor(request)))
      }
      return request.query.with_trace === 'true' ? { ...found, stacktrace: await resolutions.traceOf(id, sees) } : found
    },
  )

  app.post(
    '/resolutions/:id/feedback',
    {
      schema: {
        operationId: 'judgeResolution',
        summary: 'Say whether an answer helped, and which file really had to change',
        description: 'Counted in /metrics; `GET /resolutions?with_feedback=true` lists it with the answers.',
        tags: ['Resolving'],
        params: ResolutionParams,
        body: FeedbackBody,
        response: { 204: Type.Null(), ...problems(400, 401, 404) },
      },
    },
    async ({ params, body, keyName, access }, reply) => {
      const sees = (name: string): boolean => seesProject(access, name)
      await resolutions.judge(params.id, sees, { ...body, keyName: keyName ?? null })
      return reply.code(204).send(null)
    },
  )
}

export default resolutionRoutes
