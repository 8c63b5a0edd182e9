import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ClusterSchema } from '../contract/cluster.ts'
import { problems } from '../contract/problem.ts'

const clusterRoutes: FastifyPluginAsyncTypebox = async app => {
  const { node } = app.services

  app.get(
    '/cluster',
    {
      schema: {
        operationId: 'getCluster',
        summary: 'The nodes that work on one database, with what they do, and the queue that they share',
        description:
          'A single process answers with itself alone. Nodes that have died are listed for a day, with `alive` false.',
        tags: ['Operations'],
        response: { 200: ClusterSchema, ...problems(401, 403, 503) },
      },
    },
    async () => node.overview(),
  )
}

export default clusterRoutes
