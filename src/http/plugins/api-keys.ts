import { createHash, timingSafeEqual } from 'node:crypto'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyRequest {
    /** Name of the API key that the request came with; null without a known one. */
    keyName: string | null
  }
}

/** The keys that are known: names, and hashes in place of the keys themselves. */
export type ApiKeys = ReadonlyArray<{ name: string; sha256: Buffer }>

function keyNameOf(header: string | undefined, keys: ApiKeys): string | null {
  const given = /^Bearer (\S{1,512})$/i.exec(header ?? '')?.[1]
  if (given === undefined) return null
  const hash = createHash('sha256').update(given).digest()
  let name: string | null = null
  // no early end: the time must not tell which key was near
  for (const key of keys) if (timingSafeEqual(key.sha256, hash)) name = key.name
  return name
}

/** Finds out who asks, before requests are counted; `auth` refuses those who may not, after they were counted. */
export default fp<{ apiKeys: ApiKeys }>(
  async (app, { apiKeys }) => {
    app.decorateRequest('keyName', null)
    if (apiKeys.length === 0) return
    app.addHook('onRequest', async request => {
      request.keyName = keyNameOf(request.headers.authorization, apiKeys)
    })
  },
  { name: 'api-keys' },
)
