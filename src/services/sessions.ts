import { createHash, randomBytes } from 'node:crypto'
import type { SessionStore } from '../jobs/store/session-store.ts'

/** How long somebody stays signed in to the pages. */
const SESSION_MS = 12 * 3_600_000

const TOKEN_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Who is signed in to the pages. A token is what a browser holds; only its hash is kept. */
export interface Sessions {
  /** Signs a key in. @returns The token, in letters that a cookie may hold. */
  begin(keyName: string): Promise<string>
  /** The name of the key that a token was given for; null when there is no such session any more. */
  keyOf(token: string): Promise<string | null>
  /** Signs out; nothing happens for a token without a session. */
  end(token: string): Promise<void>
  /** Signs a key out everywhere. */
  endOfKey(keyName: string): Promise<void>
}

const idOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Sessions in their table. */
export function createSessions(store: SessionStore): Sessions {
  return {
    async begin(keyName) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      await store.add({ id: idOf(token), keyName }, SESSION_MS)
      return token
    },
    async keyOf(token) {
      if (!TOKEN.test(token)) return null
      return (await store.find(idOf(token), SESSION_MS))?.keyName ?? null
    },
    async end(token) {
      if (TOKEN.test(token)) await store.end(idOf(token))
    },
    endOfKey: keyName => store.endOfKey(keyName),
  }
}
