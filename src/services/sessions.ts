import { createHash, createHmac, randomBytes } from 'node:crypto'
import { done, type Actor } from '../core/audit.ts'
import type { AuditStore } from '../jobs/store/audit-store.ts'
import type { SessionStore } from '../jobs/store/session-store.ts'

/** How long somebody stays signed in to the pages. */
const SESSION_MS = 12 * 3_600_000

const TOKEN_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** A key that somebody signs in with. */
interface SessionKey {
  name: string
  sha256: Buffer
}

/** Who is signed in to the pages. A token is what a browser holds; only its hash is kept. */
export interface Sessions {
  /**
   * Signs a key in, and notes it in the audit log.
   *
   * @param before - What the browser held until now: that session ends, where there is one.
   * @returns The token, in letters that a cookie may hold.
   */
  begin(key: SessionKey, requestId: string, before?: string): Promise<string>
  /**
   * Which of these keys a token was given for; null when there is no such session any more, or its key is not among
   * them, be it that another one has its name now.
   */
  keyOf<Key extends SessionKey>(token: string, keys: readonly Key[]): Promise<Key | null>
  /** Signs out, and notes who did; nothing ends for a token without a session. */
  end(token: string, by: Actor): Promise<void>
}

const idOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Differs for each session: the table does not tell which ones are of the same key, nor lets anybody guess it. */
const keyHashOf = (token: string, { sha256 }: SessionKey): string =>
  createHmac('sha256', token).update(sha256).digest('hex')

/** Sessions in their table. */
export function createSessions(store: SessionStore, audit: Pick<AuditStore, 'add'>): Sessions {
  const note = (by: Actor, action: string): Promise<void> =>
    audit.add(done(by, { action, projectName: null, target: null }))

  return {
    async begin(key, requestId, before = '') {
      if (TOKEN.test(before)) await store.end(idOf(before))
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      await store.add({ id: idOf(token), keyName: key.name, keyHash: keyHashOf(token, key) }, SESSION_MS)
      await note({ keyName: key.name, requestId }, 'session.begin')
      return token
    },
    async keyOf(token, keys) {
      if (!TOKEN.test(token)) return null
      const session = await store.find(idOf(token), SESSION_MS)
      if (session === null) return null
      const { keyName, keyHash } = session
      return keys.find(key => key.name === keyName && keyHashOf(token, key) === keyHash) ?? null
    },
    async end(token, by) {
      if (!TOKEN.test(token)) return
      await store.end(idOf(token))
      await note(by, 'session.end')
    },
  }
}
