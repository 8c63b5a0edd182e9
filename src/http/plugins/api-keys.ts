import { createHash, timingSafeEqual } from 'node:crypto'
import fp from 'fastify-plugin'
import { FULL_ACCESS, NO_ACCESS, type Access } from '../../core/access.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The key that a text is; null for one that is not known. */
    findKey(given: string): ApiKeys[number] | null
    /** Whether anybody needs a key. */
    hasKeys: boolean
  }
  interface FastifyRequest {
    /** Name of the API key that the request came with; null without a known one. */
    keyName: string | null
    /** What the key may do; everything where there are no keys. */
    access: Access
  }
}

/** The keys that are known: names, and hashes in place of the keys themselves. */
export type ApiKeys = ReadonlyArray<{ name: string; sha256: Buffer; access: Access }>

function findKey(given: string, keys: ApiKeys): ApiKeys[number] | null {
  const hash = createHash('sha256').update(given).digest()
  let found: ApiKeys[number] | null = null
  // no early end: the time must not tell which key was near
  for (const key of keys) if (timingSafeEqual(key.sha256, hash)) found = key
  return found
}

function keyOf(header: string | undefined, keys: ApiKeys): ApiKeys[number] | null {
  const given = /^Bearer (\S{1,512})$/i.exec(header ?? '')?.[1]
  return given === undefined ? null : findKey(given, keys)
}

/** Finds out who asks, before requests are counted; `auth` refuses those who may not, after they were counted. */
export default fp<{ apiKeys: ApiKeys }>(
  async (app, { apiKeys }) => {
    // open routes are for all; on any other, a request without a key is refused before its access counts
    const withoutKey = apiKeys.length === 0 ? FULL_ACCESS : NO_ACCESS
    app.decorate('findKey', (given: string) => findKey(given, apiKeys))
    app.decorate('hasKeys', apiKeys.length > 0)
    app.decorateRequest('keyName', null)
    app.decorateRequest('access')
    app.addHook('onRequest', async request => {
      if (request.forwarded !== null) {
        request.keyName = request.forwarded.keyName
        request.access = request.forwarded.access
        return
      }
      const key = keyOf(request.headers.authorization, apiKeys)
      request.keyName = key?.name ?? null
      request.access = key?.access ?? withoutKey
    })
  },
  { name: 'api-keys', dependencies: ['forwarded'] },
)
