/** Somebody who signed in to the pages. What the key may do is not kept: it is that of the key now. */
export interface WebSession {
  /** SHA-256 of what the browser holds, in hex, so that whoever reads the table cannot sign in. */
  id: string
  keyName: string
  /** Shows which key of that name, in hex; see `services/sessions.ts`. */
  keyHash: string
  /** RFC 3339, UTC. */
  createdAt: string
}

/**
 * Sessions of the pages. The clock is the store's: callers say for how long a session lasts. What every implementation
 * has to do is `test/contracts/session-store.ts`.
 */
export interface SessionStore {
  /** Forgets sessions that are older than so long, too: no job of its own has to. */
  add(session: Omit<WebSession, 'createdAt'>, lastsMs: number): Promise<void>
  /** Null for one that has ended, or is older than so long. */
  find(id: string, lastsMs: number): Promise<WebSession | null>
  /** Ends one; nothing happens where there is none. */
  end(id: string): Promise<void>
}
