import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '../core/type.ts'
import { problems } from '../contract/problem.ts'
import { ReadinessSchema } from '../contract/readiness.ts'

const operationRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app

  app.get(
    '/health',
    {
      serializerCompiler: () => JSON.stringify, // what writes the other answers takes long to load
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
        summary: 'What works on this machine: git, sandbox, model, embedding, disk',
        tags: ['Operations'],
        security: [],
        response: {
          200: ReadinessSchema,
          ...problems(503),
        },
      },
    },
    async () => services.ready(),
  )
}

export default operationRoutes
