import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from '../core/type.ts'
import { FaultlineError } from '../core/errors.ts'
import { isSignedWebhook, webhookHeadersProblem, type WebhookHeaders } from '../core/webhook.ts'
import { toWireJob } from '../contract/job-answer.ts'
import { problems } from '../contract/problem.ts'
import { CiLogBody, WebhookHeadersSchema } from '../contract/webhook.ts'
import type { Services } from '../services/services.ts'
import { jobLocation } from '../http/job-answer.ts'
import { TEXT_BODY_LIMIT_BYTES } from '../http/text-size.ts'
import { readLogBody } from '../http/webhook-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The verified bytes of a webhook, being packed while they are parsed and checked. */
    packedBody: ReturnType<Services['jobs']['pack']> | null
    /** The same bytes, where they are few enough to look for secrets in them. */
    shortBody: Buffer | null
  }
}

const PROVIDER = 'ci'
/** Who made a job, where it was no key; no key can have this name. */
const WEBHOOK_ACTOR = `webhook:${PROVIDER}`
/** Longer logs are kept as they were sent until their job cleans them: the answer is due within a tenth of a second. */
const MAX_CLEANED_BYTES = 262_144

const unauthorized = (message: string): FaultlineError =>
  new FaultlineError(
    'UNAUTHORIZED',
    message,
    'Sign "webhook-id.webhook-timestamp.body" with the secret that this server has for CI; docs/ci.md shows how.',
  )

const webhookRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app
  app.decorateRequest('packedBody', null)
  app.decorateRequest('shortBody', null)

  // The bytes are what was signed: nothing reads them before they are known to be the sender's, whatever they call
  // themselves.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: TEXT_BODY_LIMIT_BYTES }, (_request, body, done) => {
    done(null, body)
  })

  function keys(): readonly Buffer[] {
    const known = services.webhookKeys.get(PROVIDER) ?? []
    if (known.length === 0) {
      throw new FaultlineError(
        'WEBHOOK_NOT_CONFIGURED',
        'This server has no secret for webhooks of CI.',
        `Set WEBHOOK_SECRETS=${PROVIDER}=SECRET on the server.`,
      )
    }
    return known
  }

  async function refuseByHeaders({ headers }: FastifyRequest): Promise<void> {
    keys()
    const problem = webhookHeadersProblem(headers, new Date())
    if (problem !== null) throw unauthorized(`The webhook is refused: ${problem}.`)
  }

  /** Turns the bytes into the body that the schema checks; its log stays in the bytes. */
  async function verifyAndParse(request: FastifyRequest): Promise<void> {
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    if (!isSignedWebhook(request.headers as unknown as WebhookHeaders, bytes, keys())) {
      throw unauthorized('No signature of the webhook fits its body.')
    }
    request.packedBody = services.jobs.pack(bytes)
    request.packedBody.catch(() => {}) // the handler sees it; a body that is refused below does not matter any more
    request.shortBody = bytes.length <= MAX_CLEANED_BYTES ? bytes : null
    request.body = readLogBody(bytes)
  }

  /** The log without secrets; undefined where it has none, and where it is too long to be looked at here. */
  async function cleanLog({ shortBody }: FastifyRequest): Promise<string | undefined> {
    if (shortBody === null) return undefined
    const { log } = JSON.parse(shortBody.toString()) as Static<typeof CiLogBody>
    const clean = await services.withoutSecrets(log)
    return clean === log ? undefined : clean
  }

  app.post(
    '/webhooks/ci',
    {
      bodyLimit: TEXT_BODY_LIMIT_BYTES,
      onRequest: refuseByHeaders,
      preValidation: verifyAndParse,
      schema: {
        operationId: 'receiveCiLog',
        summary: 'Take the log of a failed CI run, signed',
        description:
          'Signed as Standard Webhooks say. Answers at once with a job of type `resolve`, one resolution for each ' +
          'distinct fault of the log; they are also posted to `callback_url`, signed with the same secret and with ' +
          'the id of the job as `webhook-id`. The same `webhook-id` again gives the first job.',
        tags: ['Resolving'],
        security: [],
        headers: WebhookHeadersSchema,
        body: CiLogBody,
        response: { 200: Type.Ref('Job'), 202: Type.Ref('Job'), ...problems(400, 401, 403, 404, 409, 413, 429, 503) },
      },
    },
    async (request, reply) => {
      const checked = await services.requests.ciLog.complete(request.body)
      const log = await cleanLog(request)
      const input = log === undefined ? checked : { ...checked, log }
      // as it was sent, in place of the one that was checked
      const sent = log === undefined ? request.packedBody : null
      const packed = sent === null ? undefined : { json: await sent, fields: ['log'] }
      const { job, replayed } = await services.jobs.create('resolve', input, {
        trust: 'untrusted',
        keyName: WEBHOOK_ACTOR,
        requestId: request.id,
        packed,
        // the id alone tells what was delivered already
        idempotency: { scope: `webhook ${PROVIDER}`, key: request.headers['webhook-id'], bodySha256: '' },
      })
      const answer = toWireJob(await services.jobs.get(job.id))
      reply.header('location', jobLocation(reply, job.id))
      if (replayed) return reply.code(200).header('idempotency-replayed', 'true').send(answer)
      return reply.code(202).header('retry-after', '1').send(answer)
    },
  )
}

export default webhookRoutes
