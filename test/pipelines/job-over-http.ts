import { setTimeout as delay } from 'node:timers/promises'

/** A job as a client reads it; its result is that of its type. */
export interface WireJob<Result = unknown> {
  id: string
  status: string
  progress: { step: string; message: string } | null
  request: { kind: string } | null
  result: Result
  error: unknown
}

const OVERLOADED = 503
const AGAIN_MS = 500

/**
 * The answer to a request with a JSON body, which is posted unless `method` says otherwise. A server on a busy machine
 * asks for a moment after its start: the request is sent again, as any client would.
 */
export async function call<Result>(
  url: string,
  path: string,
  body?: object,
  method = body === undefined ? 'GET' : 'POST',
): Promise<WireJob<Result>> {
  const headers = { 'content-type': 'application/json' }
  const init = { method, ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }) }
  for (;;) {
    const res = await fetch(url + path, init)
    const answer = (await res.json()) as WireJob<Result>
    if (res.status !== OVERLOADED) return answer
    await delay(AGAIN_MS)
  }
}

const ENDED = new Set(['succeeded', 'failed', 'cancelled'])

/** Waits until a job is as wanted, or has ended. */
export async function until<Result>(
  url: string,
  id: string,
  isWanted: (job: WireJob<Result>) => boolean,
): Promise<WireJob<Result>> {
  let last: WireJob<Result> | undefined
  for (let tries = 0; tries < 4800; tries++) {
    last = await call<Result>(url, `/jobs/${id}`)
    if (isWanted(last) || ENDED.has(last.status)) return last
    await delay(25)
  }
  throw new Error(`the job did not get there: ${JSON.stringify(last)}`)
}
