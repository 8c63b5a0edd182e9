import { setTimeout as wait } from 'node:timers/promises'
import type { KeepAliveClient } from '../keep-alive-client.ts'
import type { Site, Used } from './sites.ts'

/** What was done in a while, and what it took. */
export interface Share extends Used {
  done: number
  seconds: number
}

export const NOTHING: Share = { done: 0, seconds: 0, serversMs: 0, databaseMs: 0 }

export const added = (a: Share, b: Share): Share => ({
  done: a.done + b.done,
  seconds: a.seconds + b.seconds,
  serversMs: a.serversMs + b.serversMs,
  databaseMs: a.databaseMs + b.databaseMs,
})

/** How many were done in a second of one core, the database's included. */
export const perCoreSecond = ({ done, serversMs, databaseMs }: Share): number =>
  (done * 1_000) / (serversMs + databaseMs)

/** Does something, and tells what the servers used until all that it left to do was done, too. */
export async function shareOf(site: Site, work: () => Promise<number>): Promise<Share> {
  await site.idle()
  const before = site.used()
  const startedAt = performance.now()
  const done = await work()
  const seconds = (performance.now() - startedAt) / 1_000
  await site.idle()
  const after = site.used()
  return {
    done,
    seconds,
    serversMs: after.serversMs - before.serversMs,
    databaseMs: after.databaseMs - before.databaseMs,
  }
}

/** Of a server that cannot keep up, as on a machine that others use. */
const BUSY = 503
const AGAIN_MS = 500

/** Asks until the server has time. */
async function patient<Answer extends { status: number }>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== BUSY) return answer
    await wait(AGAIN_MS)
  }
}

interface LoadOptions {
  bodies: readonly string[]
  seconds: number
  /** How many are answered at least, however long that takes. */
  least?: number
  /** Which one is first. */
  from?: number
}

/**
 * Each connection sends its next trace when it has the answer to the last; requests go to the servers of a site in
 * turn, as a balancer sends them.
 *
 * @returns How many were answered.
 */
export async function askAll(
  client: KeepAliveClient,
  { urls }: Pick<Site, 'urls'>,
  { bodies, seconds, least = 0, from = 0 }: LoadOptions,
): Promise<number> {
  const until = performance.now() + seconds * 1_000
  let next = from
  let answered = 0
  const connect = async (connection: number): Promise<void> => {
    while (performance.now() < until || next < from + least) {
      const at = next++
      const url = `${urls[at % urls.length] ?? ''}/resolve`
      const { status, body } = await patient(() => client.post(url, bodies[at % bodies.length] ?? '', connection))
      if (status !== 200) throw new Error(`${url}: ${status} ${body.toString('utf8', 0, 300)}`)
      answered++
    }
  }
  await Promise.all(Array.from({ length: client.connections }, (_, connection) => connect(connection)))
  return answered
}

/**
 * Makes jobs that each answer one trace, and waits until all have ended.
 *
 * @returns How many there were.
 */
export async function runJobs(
  client: KeepAliveClient,
  { urls }: Pick<Site, 'urls'>,
  bodies: readonly string[],
): Promise<number> {
  const ids: string[] = []
  let next = 0
  const make = async (connection: number): Promise<void> => {
    for (let at = next++; at < bodies.length; at = next++) {
      const url = urls[at % urls.length] ?? ''
      const headers = { prefer: 'respond-async' }
      const { status, body } = await patient(() => client.post(`${url}/resolve`, bodies[at] ?? '', connection, headers))
      if (status !== 202) throw new Error(`${url}: ${status} ${body.toString('utf8', 0, 300)}`)
      ids.push((JSON.parse(body.toString()) as { id: string }).id)
    }
  }
  await Promise.all(Array.from({ length: client.connections }, (_, connection) => make(connection)))
  for (const id of ids) {
    let status = 'queued'
    while (status === 'queued' || status === 'running') {
      const job = (await (await fetch(`${urls[0] ?? ''}/jobs/${id}?wait=60`)).json()) as { status: string }
      status = job.status
    }
    if (status !== 'succeeded') throw new Error(`the job ${id} ${status}`)
  }
  return ids.length
}
