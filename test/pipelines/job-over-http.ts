import { setTimeout as delay } from 'node:timers/promises'
import { patient } from '../helpers/patient-fetch.ts'

/** A job as a client reads it; its result is that of its type. */
export interface WireJob<Result = unknown> {
  id: string
  status: string
  progress: { step: string; message: string } | null
  request: { kind: string } | null
  result: Result
  error: unknown
}

/** The answer to a request with a JSON body, which is posted unless `method` says otherwise. */
export async function call<Result>(
  url: string,
  path: string,
  body?: object,
  method = body === undefined ? 'GET' : 'POST',
): Promise<WireJob<Result>> {
  const headers = { 'content-type': 'application/json' }
  const init = { method, ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }) }
  return (await (await patient(() => fetch(url + path, init))).json()) as WireJob<Result>
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
