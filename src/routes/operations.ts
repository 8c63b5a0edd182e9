import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '../core/type.ts'
import { problems } from '../contract/problem.ts'
import { ReadinessSchema, withDisk, type MachineReadiness } from '../contract/readiness.ts'

/** To look starts a git process, and the route is open to everybody. */
const READY_AGE_MS = 60_000

const operationRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app
  let looked: { at: number; readiness: Promise<MachineReadiness> } | null = null

  function machine(): Promise<MachineReadiness> {
    if (looked !== null && performance.now() - looked.at < READY_AGE_MS) return looked.readiness
    const readiness = services.machine()
    looked = { at: performance.now(), readiness }
    readiness.catch(() => {
      looked = null
    }) // the next one looks again
    return readiness
  }

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
    async () => withDisk(await machine(), await services.diskState()),
  )
}

export default operationRoutes
