import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '../core/type.ts'
import { FaultlineError } from '../core/errors.ts'
import { placeOf, resolveFaults } from '../core/faults.ts'
import { JobHeaders, notifyIn } from '../contract/primitives.ts'
import { problems } from '../contract/problem.ts'
import { DryRunSchema } from '../contract/dry-run.ts'
import {
  LocatedSchema,
  ResolutionSchema,
  ResolveBodySchema,
  ResolveQuery,
  SuspectsSchema,
  type ResolveInput,
} from '../contract/resolution.ts'
import { toWire } from '../contract/wire.ts'
import { ciReport } from '../text/ci/report.ts'
import { resolutionAs } from '../text/written.ts'
import type { Resolving } from '../services/resolving.ts'
import type { Services } from '../services/services.ts'
import {
  answerType,
  paintFor,
  REPORT_MEDIA_TYPES,
  REPORT_TYPES,
  reportType,
  sendWritten,
  WRITTEN_TYPES,
} from '../http/answer-type.ts'
import { answerWithNewJob } from '../http/job-answer.ts'
import { projectOfBody } from '../http/needs-index.ts'
import { refuseLargeText, TEXT_BODY_LIMIT_BYTES } from '../http/text-size.ts'

/** A model may take LLM_TIMEOUT_S (at most an hour) and be asked again. */
const HANDLER_TIMEOUT_MS = 3_700_000

/** Past the schema of a resolution, for what is none. A serializer of one's own leaves the type out. */
function asPlainJson(reply: FastifyReply): FastifyReply {
  return reply.type('application/json; charset=utf-8').serializer(body => JSON.stringify(body))
}

/** What is answered at once can neither be posted elsewhere nor wait for a higher budget. */
function refuseJobFields(input: ResolveInput): void {
  const given = (['callback_url', 'notify', 'budget', 'max_steps'] as const).filter(field => input[field] !== undefined)
  if (given.length === 0) return
  throw new FaultlineError(
    'VALIDATION_FAILED',
    `${given.join(' and ')} ${given.length === 1 ? 'is' : 'are'} for a job, and this request is answered at once.`,
    `Add the header Prefer: respond-async or "investigate": true, or leave ${given.join(', ')} and dry_run out.`,
  )
}

/**
 * Without a copy of what is remembered for all who ask: so much memory for each answer made collecting garbage the
 * longest wait.
 */
function sendPieces(reply: FastifyReply, pieces: readonly Uint8Array[]): FastifyReply {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  return reply
    .type('application/json; charset=utf-8')
    .header('content-length', bytes)
    .send(Readable.from(pieces, { objectMode: false }))
}

/** With a JSON body the query has nothing to say but `wait`; a field put there by mistake must not be ignored. */
function refuseStrayQuery({ headers, query }: FastifyRequest): void {
  if (/^text\/plain\b/i.test(headers['content-type'] ?? '')) return
  const stray = Object.keys(query as object).filter(name => name !== 'wait' && name !== 'color')
  if (stray.length > 0) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `With a JSON body, ${stray.join(', ')} belongs into the body, not into the query.`,
    )
  }
}

const NUMBERS = new Set(['max_context_tokens', 'exception', 'temperature', 'max_steps'])
const FLAGS = new Set(['dry_run', 'investigate'])

/** Query values are text; those of the body's number and yes-or-no fields become such before the body is checked. */
function convertValues(query: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      if (name === 'notify' && typeof value === 'string') return [name, notifyIn(value)]
      if (FLAGS.has(name) && (value === 'true' || value === 'false')) return [name, value === 'true']
      if (!NUMBERS.has(name) || typeof value !== 'string') return [name, value]
      if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(value)) {
        throw new FaultlineError(
          'VALIDATION_FAILED',
          `The query parameter ${name}=${JSON.stringify(value.slice(0, 50))} is not a number.`,
        )
      }
      return [name, Number(value)]
    }),
  )
}

/** The resolution as events: what was located, the words of the model as they come, and the whole at the end. */
async function streamResolution(
  resolving: Resolving,
  { request, reply, input }: { request: FastifyRequest; reply: FastifyReply; input: ResolveInput },
): Promise<void> {
  const stream = reply.openEventStream()
  try {
    const resolution = await resolving.resolve(input, {
      signal: request.clientSignal,
      onLocated: located => {
        stream.send('located', toWire(LocatedSchema, located))
      },
      waitForSuspects: true,
      onSuspects: suspects => {
        stream.send('suspects', toWire(SuspectsSchema, suspects))
      },
      onToken: text => {
        stream.send('token', { text })
      },
      onRestart: () => {
        stream.send('restart', {})
      },
    })
    stream.send('done', toWire(ResolutionSchema, resolution))
  } catch (error) {
    stream.sendProblem(error)
  } finally {
    stream.end()
  }
}

const ANSWER_TYPES = ['json', 'text', 'markdown', 'stream', ...REPORT_TYPES] as const

/** The formats of reports by what `Accept` asks for. */
const REPORT_FORMATS = { sarif: 'sarif', gitlab: 'gitlab', github: 'github', comment: 'markdown' } as const

/** Every fault of a log as a CI system reads it; headers say what a script wants to know of it. */
async function sendReport(
  { resolving, projects }: Pick<Services, 'resolving' | 'projects'>,
  { request, reply, input }: { request: FastifyRequest; reply: FastifyReply; input: ResolveInput },
  type: keyof typeof REPORT_FORMATS,
): Promise<FastifyReply> {
  const report = await resolveFaults(
    async one => toWire(ResolutionSchema, await resolving.resolve(one, { signal: request.clientSignal })),
    input,
  )
  const { repositories } = await projects.get(report.projectName)
  reply.header('faultline-fault', placeOf(report.resolutions))
  reply.header('faultline-resolutions', report.resolutions.map(({ id }) => id).join(','))
  return sendWritten(reply, type, ciReport(REPORT_FORMATS[type], { ...report, repositories }))
}

const resolveRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app

  // This scope alone takes text/plain, for `cmd 2>&1 | curl --data-binary @-`; the Host and Origin checks keep web
  // pages out.
  app.addContentTypeParser(
    'text/plain',
    { parseAs: 'string', bodyLimit: TEXT_BODY_LIMIT_BYTES },
    (request, body, done) => {
      const { wait: _wait, color: _color, ...query } = request.query as Record<string, unknown>
      done(null, { ...convertValues(query), stacktrace: body })
    },
  )

  app.post(
    '/resolve',
    {
      bodyLimit: TEXT_BODY_LIMIT_BYTES,
      config: { needsIndexOf: projectOfBody },
      handlerTimeout: HANDLER_TIMEOUT_MS,
      preValidation: async ({ body }) => refuseLargeText(body, 'stacktrace', 'stack trace'),
      schema: {
        operationId: 'resolveError',
        summary: 'Find and explain the code behind a stack trace',
        description:
          'Works without a model: `answer_status` says whether there is an answer, everything else is there in any ' +
          'case. With `Accept: text/event-stream` the events are `located`, `suspects` ' +
          '(where `located` said `pending`), `token`, `done` and `error`. With ' +
          '`Prefer: respond-async` it becomes a job. `Accept: text/plain` gets what the command line prints, ' +
          '`text/markdown` something to paste into an issue. The types for CI (`text/vnd.faultline.github`, ' +
          '`application/vnd.faultline.gitlab+json`, `application/sarif+json`, `text/vnd.faultline.comment`) are ' +
          'about every fault of a log, 20 at most. Their header `Faultline-Fault` says `project`, `elsewhere` or ' +
          '`none`, `Faultline-Resolutions` has the ids, and a `ref` that cannot be had costs only the exact lines. ' +
          'With `investigate` it becomes a job, too, in which the model looks around in the code before it answers. ' +
          'With `dry_run` it says what a model would be sent. A ' +
          '`text/plain` body is the trace; then the other fields are query parameters.',
        tags: ['Resolving'],
        consumes: ['application/json', 'text/plain'],
        produces: [...WRITTEN_TYPES, 'text/event-stream', ...REPORT_MEDIA_TYPES],
        headers: JobHeaders,
        querystring: ResolveQuery,
        body: ResolveBodySchema,
        response: {
          200: Type.Union([ResolutionSchema, DryRunSchema]),
          202: Type.Ref('Job'),
          ...problems(400, 401, 404, 406, 409, 413, 415, 422, 429, 503),
        },
      },
    },
    async (request, reply) => {
      refuseStrayQuery(request)
      const wanted = answerType(request, ANSWER_TYPES)
      const { dry_run: isDryRun = false, ...input } = request.body
      if (isDryRun) {
        if (input.investigate !== true) refuseJobFields(input)
        return asPlainJson(reply).send(await services.resolving.dryRun(input, request.clientSignal))
      }
      if (input.investigate === true || /\brespond-async\b/.test(String(request.headers.prefer ?? ''))) {
        const jobInput = await services.requests.resolve.complete(input)
        return answerWithNewJob(services, request, asPlainJson(reply), {
          type: 'resolve',
          input: jobInput,
          given: input,
        })
      }
      refuseJobFields(input)
      if (wanted === 'stream') {
        // refused as a plain problem while the status can still be set
        await services.projects.needIndex(input.project_name)
        return streamResolution(services.resolving, { request, reply, input })
      }
      const report = reportType(wanted)
      if (report !== undefined) return sendReport(services, { request, reply, input }, report)
      if (wanted === 'text' || wanted === 'markdown') {
        const resolution = await services.resolving.resolve(input, { signal: request.clientSignal })
        const answer = toWire(ResolutionSchema, resolution)
        return sendWritten(reply, wanted, resolutionAs(wanted, answer, paintFor(request)))
      }
      // already in the words of the schema
      return sendPieces(reply, await services.resolving.resolveToJson(input, { signal: request.clientSignal }))
    },
  )
}

export default resolveRoutes
