import fp from 'fastify-plugin'
import { visibilityOf } from '../../core/access.ts'
import { Type } from '../../core/type.ts'
import { problems } from '../../contract/problem.ts'

/**
 * Counts requests by the pattern of their route, never by their address, and tells all that is counted on `GET
 * /metrics`.
 */
export default fp(
  async app => {
    const { metrics } = app.services
    app.addHook('onResponse', async ({ routeOptions, method }, { statusCode, elapsedTime }) => {
      metrics.request(routeOptions.url ?? 'unknown', method, statusCode, elapsedTime / 1000)
    })

    app.get(
      '/metrics',
      {
        schema: {
          operationId: 'metrics',
          summary: 'Counters and gauges in the text format of Prometheus',
          description: 'A key that is bound to projects gets the counts of their jobs and indexes alone.',
          tags: ['Operations'],
          response: {
            200: { description: 'Text format 0.0.4', content: { 'text/plain': { schema: Type.String() } } },
            ...problems(401),
          },
        },
      },
      async ({ access, keyName }, reply) =>
        reply.type(metrics.contentType).send(await metrics.text(visibilityOf(access, keyName))),
    )
  },
  { name: 'metrics', dependencies: ['access'] },
)
