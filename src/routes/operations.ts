import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Nullable } from '../contract/primitives.ts'
import { problems } from '../contract/problem.ts'
import type { Readiness } from '../services/services.ts'

/** To look starts a git process, and the route is open to everybody. */
const READY_AGE_MS = 60_000

const operationRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app
  let looked: { at: number; readiness: Promise<Readiness> } | null = null

  function ready(): Promise<Readiness> {
    if (looked !== null && performance.now() - looked.at < READY_AGE_MS) return looked.readiness
    const readiness = services.ready()
    looked = { at: performance.now(), readiness }
    readiness.catch(() => {
      looked = null
    }) // the next one looks again
    return readiness
  }

  app.get(
    '/health',
    {
      schema: {
        operationId: 'health',
        summary: 'Whether the process is alive',
        tags: ['Operations'],
        security: [],
        response: { 200: Type.Object({ status: Type.Literal('ok') }), ...problems(503) },
      },
    },
    async () => ({ status: 'ok' as const }),
  )

  app.get(
    '/ready',
    {
      schema: {
        operationId: 'ready',
        summary: 'What works on this machine: git, sandbox, model, embedding',
        tags: ['Operations'],
        security: [],
        response: {
          200: Type.Object({
            ready: Type.Boolean({ description: 'Whether repositories can be cloned and traces resolved' }),
            git: Type.Object({
              available: Type.Boolean(),
              version: Nullable(Type.String()),
              warning: Nullable(Type.String()),
            }),
            sandbox: Type.Object({
              available: Type.Boolean(),
              reason: Nullable(Type.String()),
              fix: Nullable(Type.String()),
            }),
            llm: Type.Object({ configured: Type.Boolean(), model: Nullable(Type.String()) }),
            embedding: Type.Object({ provider: Type.String(), model: Type.String() }),
          }),
          ...problems(503),
        },
      },
    },
    async () => ready(),
  )
}

export default operationRoutes
