import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '../core/type.ts'
import { DryRunSchema } from '../contract/dry-run.ts'
import { JobHeaders, WaitQuery } from '../contract/primitives.ts'
import { problems } from '../contract/problem.ts'
import type { JsonObject } from '../core/job.ts'
import { answerWithNewJob } from '../http/job-answer.ts'
import { projectOfBody } from '../http/needs-index.ts'
import { refuseLargeText, TEXT_BODY_LIMIT_BYTES } from '../http/text-size.ts'
import type { Services } from '../services/services.ts'

type PipelineRequest = Services['pipelineRoutes'][number]

/** Files travel in the body. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024

const common = {
  tags: ['Pipelines'],
  headers: JobHeaders,
  querystring: WaitQuery,
  response: {
    200: Type.Union([Type.Ref('Job'), DryRunSchema]),
    202: Type.Ref('Job'),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
  },
}

/** How much a body may hold; a trace or a log has a limit of its own. */
function sizeLimits({ longText }: PipelineRequest['route']) {
  if (longText === undefined) return { bodyLimit: BODY_LIMIT_BYTES }
  return {
    bodyLimit: TEXT_BODY_LIMIT_BYTES,
    preValidation: async ({ body }: { body: unknown }) => refuseLargeText(body, longText.field, longText.name),
  }
}

/** A route for each row of the registry that asks for one. */
const pipelineRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app
  for (const { type, schema, route, complete, dryRun } of services.pipelineRoutes) {
    const { url, operationId, summary, description } = route
    app.post(
      url,
      {
        ...sizeLimits(route),
        config: { needsIndexOf: projectOfBody },
        schema: { ...common, operationId, summary, description, body: schema },
      },
      async (request, reply) => {
        const body = request.body as JsonObject
        if (body.dry_run === true) {
          const { dry_run: _isDryRun, ...rest } = body
          return reply.send(await dryRun(rest as never))
        }
        return answerWithNewJob(services, request, reply, {
          type,
          input: await complete(body as never),
          given: body,
        })
      },
    )
  }
}

export default pipelineRoutes
