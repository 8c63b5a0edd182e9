import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { McpHandler } from '../mcp/handler.ts'
import { RouteProblem, type Caller, type RouteRequest } from '../mcp/caller.ts'
import { ERROR_HELP } from '../core/error-help.ts'
import type { JsonObject } from '../core/job.ts'
import { Type } from '../core/type.ts'
import { toProblem, ValidationError } from '../http/plugins/problems.ts'
import { TEXT_BODY_LIMIT_BYTES } from '../http/text-size.ts'
import { validateBody } from '../http/validate-body.ts'

/** Sent on to the route that a tool asks: who asks. The address of the client and its key count there as here. */
function headersFor({ headers: { authorization } }: FastifyRequest, more: Readonly<Record<string, string>> = {}) {
  return { host: 'localhost', ...(authorization === undefined ? {} : { authorization }), ...more }
}

type ProblemAnswer = Pick<ReturnType<typeof toProblem>, 'code' | 'detail' | 'fix' | 'errors'>

/** A problem in the words of tools: an agent sees their schemas, and no list of wrong fields. */
function toolProblem({ code, detail, fix, errors = [] }: ProblemAnswer): RouteProblem {
  const fields = errors.map(({ path, message }) => `${path.replace(/^[a-z]+\//, '')} ${message}`)
  const isGeneral = fix === ERROR_HELP.VALIDATION_FAILED.cure
  return new RouteProblem({
    code,
    detail: fields.length === 0 ? detail : `The arguments are not valid: ${fields.join('; ')}.`,
    fix: isGeneral ? 'The input schema of the tool says what it takes.' : fix,
  })
}

/** Asks a route of this server in the name of whoever sent a request. @throws {RouteProblem} */
async function askRoute(
  app: FastifyInstance,
  request: FastifyRequest,
  { method, path, body, headers }: RouteRequest,
): Promise<unknown> {
  const answer = await app.inject({
    method,
    url: path,
    payload: body,
    headers: headersFor(request, headers),
    remoteAddress: request.ip,
    signal: request.clientSignal,
  })
  const said: unknown = answer.body === '' ? null : answer.json()
  if (answer.statusCode < 400) return said
  throw toolProblem(said as ProblemAnswer)
}

/** @throws {RouteProblem} VALIDATION_FAILED */
function checkArguments(request: FastifyRequest, schema: TSchema, args: unknown): void {
  try {
    validateBody(request, schema, args as JsonObject)
  } catch (error) {
    throw error instanceof ValidationError ? toolProblem(toProblem(error, request)) : error
  }
}

const callerOf = (app: FastifyInstance, request: FastifyRequest): Caller => ({
  mayWrite: request.access.mayWrite,
  ask: asked => askRoute(app, request, asked),
  check: (schema, args) => {
    checkArguments(request, schema, args)
  },
  cutToTokens: (text, maxTokens) => app.services.codeTools.cutToTokens(text, maxTokens, request.clientSignal),
  signal: request.clientSignal,
})

/** The request as the SDK reads it; its body was parsed already. */
function webRequest({ url, headers, clientSignal }: FastifyRequest): Request {
  const copied = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') copied.set(name, value)
  }
  copied.delete('content-length')
  return new Request(new URL(url, 'http://localhost'), {
    method: 'POST',
    headers: copied,
    body: '{}',
    signal: clientSignal,
  })
}

/** The protocol that coding agents speak. */
const mcpRoutes: FastifyPluginAsyncTypebox<{ version: string }> = async (app, { version }) => {
  let handler: Promise<McpHandler> | undefined

  /** Loaded with the first request: the SDK takes 0.4 s and 41 MB. */
  const load = async (): Promise<McpHandler> => {
    const { createMcp } = await import('../mcp/handler.ts')
    return createMcp({ version, onError: error => app.log.error({ err: error }, 'an answer to an agent failed') })
  }

  app.addHook('onClose', async () => {
    await (await handler)?.close()
  })

  app.post(
    '/mcp',
    {
      bodyLimit: TEXT_BODY_LIMIT_BYTES,
      schema: {
        hide: true, // it is no interface of ours; docs/agents.md describes it
        body: Type.Unknown(), // the SDK checks it
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      handler ??= load()
      const caller = callerOf(app as unknown as FastifyInstance, request)
      return reply.send(await (await handler).answer(webRequest(request), request.body, caller))
    },
  )
}

export default mcpRoutes
