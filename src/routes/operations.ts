import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { FULL_ACCESS } from '../core/access.ts'
import { Type } from '../core/type.ts'
import { problems } from '../contract/problem.ts'
import { ReadinessSchema } from '../contract/readiness.ts'

const operationRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app
  const { 503: unavailable } = problems(503)

  app.get(
    '/health',
    {
      serializerCompiler: () => JSON.stringify, // what writes the other answers takes long to load
      schema: {
        operationId: 'health',
        summary: 'Whether the process is alive',
        description:
          'With `challenge` also whether it holds the data folders of whoever asks: `proof` is the HMAC-SHA256 of ' +
          '`faultline lock` and the challenge, by the secret that stands in the folders. The command line asks so ' +
          'before it sends anything to an address that it has found there.',
        tags: ['Operations'],
        security: [],
        querystring: Type.Object(
          { challenge: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32,64}$' })) },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({ status: Type.Literal('ok'), proof: Type.Optional(Type.String()) }),
          ...problems(400, 503),
        },
      },
    },
    async ({ query: { challenge } }) => {
      const proof = challenge === undefined ? null : services.prove(challenge)
      return { status: 'ok' as const, ...(proof === null ? {} : { proof }) }
    },
  )

  app.get(
    '/ready',
    {
      schema: {
        operationId: 'ready',
        summary: 'What works on this machine: git, sandbox, model, embedding, disk, database',
        description:
          'A single process answers 200 in any case, and `ready` says whether it can work. One of several nodes ' +
          'answers 503 with the same fields while it cannot, or is about to stop (`node.draining`), so that a ' +
          'balancer sends its requests elsewhere.',
        tags: ['Operations'],
        security: [],
        response: {
          200: ReadinessSchema,
          503: {
            ...unavailable,
            content: { ...unavailable?.content, 'application/json': { schema: ReadinessSchema } },
          },
        },
      },
    },
    async ({ access, keyName }, reply) => {
      const readiness = await services.ready()
      const isMember = services.node.cluster !== null
      if (isMember && !readiness.ready) reply.code(503).header('retry-after', '1')
      // anybody may ask: the name of a machine is for those who have a key, where keys are needed
      const isKnown = keyName !== null || access === FULL_ACCESS
      const { node = null } = readiness
      return node === null || isKnown ? readiness : { ...readiness, node: { ...node, name: null } }
    },
  )
}

export default operationRoutes
