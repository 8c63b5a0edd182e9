import { createHash } from 'node:crypto'
import type { Static } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isTerminal, type JobType, type JsonObject } from '../core/job.ts'
import { toWireJob } from '../contract/job-answer.ts'
import type { WaitQuery } from '../contract/primitives.ts'
import type { Services } from '../services/services.ts'
import { actorOf } from './actor.ts'

const MAX_WAIT_S = 60

/** Seconds that the client is willing to wait: `?wait=` wins over `Prefer: wait=`. */
export function waitSeconds(request: FastifyRequest): number {
  const { wait } = request.query as Static<typeof WaitQuery>
  if (wait !== undefined) return wait
  const preferred = /(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])/.exec(String(request.headers.prefer ?? ''))?.[1]
  return preferred === undefined ? 0 : Math.min(Number(preferred), MAX_WAIT_S)
}

/** Equal bodies give equal text, whatever the order of their fields. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  return `{${Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
    .join(',')}}`
}

/** What is stored with an `Idempotency-Key`; undefined without one. `given` is what the client sent. */
export function idempotencyOf(request: FastifyRequest, given: unknown) {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') return undefined
  return {
    key,
    scope: `${request.keyName ?? ''} ${request.method} ${request.routeOptions.url ?? ''}`,
    bodySha256: createHash('sha256').update(canonical(given)).digest('hex'),
  }
}

/** Where a client finds a job: below the path that a proxy has the server at. */
export const jobLocation = ({ server }: FastifyReply, id: string): string => `${server.pathPrefix}/jobs/${id}`

/** Answers with a job: `200` when the client waited and it ended or asks something, else `202`. */
export async function answerWithJob(services: Services, request: FastifyRequest, reply: FastifyReply, id: string) {
  const waitMs = waitSeconds(request) * 1000
  const latest =
    waitMs > 0
      ? await services.jobs.settled(id, waitMs, AbortSignal.any([request.clientSignal, services.draining]))
      : await services.jobs.get(id)
  reply.header('location', jobLocation(reply, id))
  if (waitMs > 0 && (isTerminal(latest.status) || latest.status === 'waiting')) {
    return reply.code(200).send(toWireJob(latest))
  }
  return reply.code(202).header('retry-after', '1').send(toWireJob(latest))
}

/** Creates a job and answers as the contract says: `202` at once, or `200` when it ended while the client waited. */
export async function answerWithNewJob(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { type, input, given }: { type: JobType; input: JsonObject; given: unknown },
) {
  const { job, replayed } = await services.jobs.create(type, input, {
    ...actorOf(request),
    idempotency: idempotencyOf(request, given),
  })
  if (replayed) reply.header('idempotency-replayed', 'true')
  return answerWithJob(services, request, reply, job.id)
}
