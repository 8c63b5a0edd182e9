import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '../core/type.ts'
import { FaultlineError } from '../core/errors.ts'
import { ListQuery, JobHeaders, ProjectName, WaitQuery } from '../contract/primitives.ts'
import { problems } from '../contract/problem.ts'
import {
  CloneBodySchema,
  DeleteProjectQuery,
  ProjectPatch,
  ProjectSchema,
  SearchAnswerSchema,
  SearchQuery,
} from '../contract/project.ts'
import { fromWire, toWire } from '../contract/wire.ts'
import { decodeTextCursor, encodeCursor } from '../core/cursor.ts'
import { answerType, paintFor, sendWritten, WRITTEN_TYPES } from '../http/answer-type.ts'
import { actorOf } from '../http/actor.ts'
import { answerWithNewJob } from '../http/job-answer.ts'
import { projectOfPath } from '../http/needs-index.ts'
import { hitsAs } from '../text/written.ts'

const ProjectParams = Type.Object({ name: ProjectName })

const projectRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app
  const { projects } = services

  app.post(
    '/clone',
    {
      schema: {
        operationId: 'cloneRepository',
        summary: 'Clone a repository and index it; the same repository again updates it',
        tags: ['Projects'],
        headers: JobHeaders,
        querystring: WaitQuery,
        body: CloneBodySchema,
        response: { 200: Type.Ref('Job'), 202: Type.Ref('Job'), ...problems(400, 401, 403, 409, 415, 429, 503) },
      },
    },
    async (request, reply) => {
      const input = await services.requests.clone.complete(request.body)
      return answerWithNewJob(services, request, reply, { type: 'clone', input, given: request.body })
    },
  )

  app.get(
    '/projects',
    {
      schema: {
        operationId: 'listProjects',
        summary: 'All projects, newest first',
        tags: ['Projects'],
        querystring: Type.Object(ListQuery, { additionalProperties: false }),
        response: {
          200: Type.Object({
            data: Type.Array(Type.Ref('Project')),
            next_cursor: Type.Union([Type.String(), Type.Null()]),
          }),
          ...problems(400, 401),
        },
      },
    },
    async ({ query, access }) => {
      const { projects: page, next } = await projects.list(query.limit, decodeTextCursor(query.cursor), access)
      return {
        data: page.map(project => toWire(ProjectSchema, project)),
        next_cursor: next === null ? null : encodeCursor(next),
      }
    },
  )

  app.get(
    '/projects/:name',
    {
      config: { needsIndexOf: projectOfPath },
      schema: {
        operationId: 'getProject',
        summary: 'What a project holds and whether it can be searched',
        tags: ['Projects'],
        params: ProjectParams,
        response: { 200: Type.Ref('Project'), ...problems(400, 401, 404) },
      },
    },
    async ({ params }) => toWire(ProjectSchema, await projects.get(params.name)),
  )

  app.patch(
    '/projects/:name',
    {
      schema: {
        operationId: 'changeProject',
        summary:
          "Say where the paths of traces lie in the repository, what is not the project's own code, how it is " +
          'checked, and where results go',
        tags: ['Projects'],
        params: ProjectParams,
        body: ProjectPatch,
        response: { 200: Type.Ref('Project'), ...problems(400, 401, 403, 404, 503) },
      },
    },
    async request => {
      const changes = fromWire(ProjectPatch, request.body)
      return toWire(ProjectSchema, await services.changeProject(request.params.name, changes, actorOf(request)))
    },
  )

  app.delete(
    '/projects/:name',
    {
      schema: {
        operationId: 'deleteProject',
        summary: 'Delete a project, its index and the clones that no other project uses',
        description:
          'Its tasks go with it. Features that have ended and still have a branch are aborted first, as far as the ' +
          'remote answers; the audit log says `left` of one that stays there. With `purge=true` its jobs, their ' +
          'transcripts and files and what the audit log says of it go, too. What remains is that it was purged, by ' +
          'whom and when. A project that was deleted before can still be purged.',
        tags: ['Projects'],
        params: ProjectParams,
        querystring: DeleteProjectQuery,
        response: { 204: Type.Null(), ...problems(400, 401, 404, 409) },
      },
    },
    async (request, reply) => {
      const { purge } = request.query
      await services.removeProject(request.params.name, { purge }, actorOf(request))
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/projects/:name/search',
    {
      config: { needsIndexOf: projectOfPath },
      schema: {
        operationId: 'searchProject',
        summary: 'Search the code of a project by words, names, paths and similarity',
        description:
          'Any text will do: words, an identifier, a message, a path (`src/cart.py:12`). What stands in double ' +
          'quotes must be in a hit exactly as it is, punctuation and spaces, too (`\\"` ' +
          'for a quote in it); capital letters count if it has any. A single letter is no word and is found in ' +
          'quotes alone. Tests stand back a little unless the query speaks of tests.',
        tags: ['Projects'],
        params: ProjectParams,
        querystring: SearchQuery,
        produces: WRITTEN_TYPES,
        response: { 200: SearchAnswerSchema, ...problems(400, 401, 404, 406, 409) },
      },
    },
    async (request, reply) => {
      const { params, query, clientSignal } = request
      const wanted = answerType(request)
      if (query.q.trim() === '') {
        throw new FaultlineError(
          'VALIDATION_FAILED',
          'The query is blank.',
          'Put words, a name, a path or a quoted text in q.',
        )
      }
      const { hits: data, ...rest } = await services.resolving.search(params.name, query.q, query.limit, clientSignal)
      const answer = toWire(SearchAnswerSchema, { data, ...rest })
      return wanted === 'text' || wanted === 'markdown'
        ? sendWritten(reply, wanted, hitsAs(wanted, answer, paintFor(request)))
        : answer
    },
  )
}

export default projectRoutes
