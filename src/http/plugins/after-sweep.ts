import fp from 'fastify-plugin'

/** Requests wait until what a killed process left is removed; only whether this one is alive can be asked before. */
export default fp(
  async app => {
    app.addHook('onRequest', async request => {
      if (request.routeOptions.url !== '/health') await app.services.sweep()
    })
  },
  { name: 'after-sweep' },
)
