import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { DryRunSchema } from '../contract/dry-run.ts'
import { FixBody, GenerateBody, ImproveBody, SelfHealBody } from '../contract/generation.ts'
import { JobHeaders, WaitQuery } from '../contract/primitives.ts'
import { problems } from '../contract/problem.ts'
import { answerWithNewJob } from './job-answer.ts'
import { refuseLargeText, TEXT_BODY_LIMIT_BYTES } from './text-size.ts'

/** Files travel in the body. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024

const route = {
  tags: ['Pipelines'],
  headers: JobHeaders,
  querystring: WaitQuery,
  response: {
    200: Type.Union([Type.Ref('Job'), DryRunSchema]),
    202: Type.Ref('Job'),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
  },
}

const generationRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app

  app.post(
    '/generate',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        ...route,
        operationId: 'generateProgram',
        summary: 'Write a program from a prompt, with a script that runs it, and run it',
        description:
          'The job waits with `clarification` for each question of the model (mode `clarified`) and with `confirm_run` before it runs the program (`execute: ask`). Its files are at `GET /jobs/{id}/files`.',
        body: GenerateBody,
      },
    },
    async (request, reply) => {
      const { dry_run: isDryRun = false, ...body } = request.body
      if (isDryRun) return reply.send(await services.generation.generate.dryRun(body))
      return answerWithNewJob(services, request, reply, {
        type: 'generate',
        input: await services.generation.generate.complete(body),
        given: request.body,
      })
    },
  )

  app.post(
    '/improve',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        ...route,
        operationId: 'improveCode',
        summary: 'Change existing code as a prompt says, by checked diffs',
        description:
          "Of files in the body, of a project, or of an earlier job. The job waits with `review_changes` unless `review` is `auto`; the diff is at `GET /jobs/{id}/diff`. On a project what is approved is committed to `faultline/{job id}` in the server's clone.",
        body: ImproveBody,
      },
    },
    async (request, reply) => {
      const { dry_run: isDryRun = false, ...body } = request.body
      if (isDryRun) return reply.send(await services.generation.improve.dryRun(body))
      return answerWithNewJob(services, request, reply, {
        type: 'improve',
        input: await services.generation.improve.complete(body),
        given: request.body,
      })
    },
  )

  app.post(
    '/self-heal',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        ...route,
        operationId: 'selfHeal',
        summary: 'Run a program and mend it until it works',
        description:
          'Runs the entrypoint in the sandbox; while it fails, the model is asked for a change with the output and the code behind the error. `healed` says whether a run ended with one of `success_exit_codes`, or met `ready_when`.',
        body: SelfHealBody,
      },
    },
    async (request, reply) => {
      const { dry_run: isDryRun = false, ...body } = request.body
      if (isDryRun) return reply.send(await services.generation.selfHeal.dryRun(body))
      return answerWithNewJob(services, request, reply, {
        type: 'self_heal',
        input: await services.generation.selfHeal.complete(body),
        given: request.body,
      })
    },
  )

  app.post(
    '/fix',
    {
      bodyLimit: TEXT_BODY_LIMIT_BYTES,
      preValidation: async ({ body }) => refuseLargeText(body, 'stacktrace', 'stack trace'),
      schema: {
        ...route,
        operationId: 'fixError',
        summary: 'From a stack trace to a checked change on a branch',
        description:
          'Finds the code behind the trace, asks for a change of that code alone, runs `verify.command` before and after it, and waits with `review_changes` unless `review` is `auto`. `verification`: `verified` (failed before, passes now), `partially_verified` (passes before and after), `unverified`.',
        body: FixBody,
      },
    },
    async (request, reply) => {
      const { dry_run: isDryRun = false, ...body } = request.body
      if (isDryRun) return reply.send(await services.generation.fix.dryRun(body))
      return answerWithNewJob(services, request, reply, {
        type: 'fix',
        input: await services.generation.fix.complete(body),
        given: request.body,
      })
    },
  )
}

export default generationRoutes
