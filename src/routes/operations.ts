import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Nullable } from '../schemas/primitives.ts'
import { problems } from '../schemas/problem.ts'

const operationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { ready } = app.services

  app.get('/health', {
    schema: {
      operationId: 'health',
      summary: 'Whether the process is alive',
      tags: ['Operations'],
      security: [],
      response: { 200: Type.Object({ status: Type.Literal('ok') }), ...problems(503) },
    },
  }, async () => ({ status: 'ok' as const }))

  app.get('/ready', {
    schema: {
      operationId: 'ready',
      summary: 'What works on this machine: git, sandbox, model, embedding',
      tags: ['Operations'],
      security: [],
      response: {
        200: Type.Object({
          ready: Type.Boolean({ description: 'Whether repositories can be cloned and traces resolved' }),
          git: Type.Object({ available: Type.Boolean(), version: Nullable(Type.String()), warning: Nullable(Type.String()) }),
          sandbox: Type.Object({ available: Type.Boolean(), reason: Nullable(Type.String()) }),
          llm: Type.Object({ configured: Type.Boolean(), model: Nullable(Type.String()) }),
          embedding: Type.Object({ provider: Type.String(), model: Type.String() }),
        }),
        ...problems(503),
      },
    },
  }, async () => ready())
}

export default operationRoutes
