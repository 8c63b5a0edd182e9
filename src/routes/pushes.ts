import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '../core/type.ts'
import { FaultlineError } from '../core/errors.ts'
import { readPush } from '../core/push-payload.ts'
import { deliveryOf, isSignedPush, PUSH_PROVIDERS, pushProvider, type PushProvider } from '../core/push-signature.ts'
import { toWireJob } from '../contract/job-answer.ts'
import { problems } from '../contract/problem.ts'
import { PushIgnoredSchema } from '../contract/webhook.ts'
import { TEXT_BODY_LIMIT_BYTES } from '../http/text-size.ts'

const EVENT_HEADERS = {
  github: 'x-github-event',
  gitlab: 'x-gitlab-event',
  gitea: 'x-gitea-event',
} as const satisfies Record<PushProvider, string>

const unauthorized = (message: string): FaultlineError =>
  new FaultlineError(
    'UNAUTHORIZED',
    message,
    'Give the webhook at the forge the secret that WEBHOOK_SECRETS has for it here; docs/repositories.md shows how.',
  )

const pushRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app

  // The bytes are what was signed: nothing reads them before they are known to be the sender's.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: TEXT_BODY_LIMIT_BYTES }, (_request, body, done) => {
    done(null, body)
  })

  function keysOf(provider: PushProvider | null): readonly Buffer[] {
    const names = provider === null ? PUSH_PROVIDERS : [provider]
    const keys = names.flatMap(name => services.webhookKeys.get(name) ?? [])
    if (keys.length > 0) return keys
    throw new FaultlineError(
      'WEBHOOK_NOT_CONFIGURED',
      `This server has no secret for webhooks of ${provider ?? 'a forge'}.`,
      `Set WEBHOOK_SECRETS=${provider ?? 'github'}=SECRET on the server.`,
    )
  }

  app.post(
    '/webhooks/push',
    {
      bodyLimit: TEXT_BODY_LIMIT_BYTES,
      onRequest: async ({ headers }) => {
        keysOf(pushProvider(headers))
      },
      schema: {
        operationId: 'receivePush',
        summary: 'Take the push webhook of GitHub, GitLab, Gitea or Forgejo, and index the branch that was pushed',
        description:
          'Signed as each forge signs: `x-hub-signature-256`, `x-gitlab-token` or GitLab’s `webhook-signature`, ' +
          '`x-gitea-signature`. Projects are found by the addresses of the repository; nothing is cloned that no ' +
          'project holds already. A push to a branch that no project follows, and any other event, is `200` without ' +
          'a job. The same delivery again gives the first job.',
        tags: ['Projects'],
        security: [],
        body: Type.Unsafe<Buffer>({ description: 'The payload as the forge sends it' }),
        response: {
          200: Type.Union([Type.Ref('Job'), PushIgnoredSchema]),
          202: Type.Ref('Job'),
          ...problems(400, 401, 403, 413, 429, 503),
        },
      },
    },
    async ({ headers, body: bytes }, reply) => {
      const provider = pushProvider(headers)
      if (provider === null) throw unauthorized('The webhook has no signature of GitHub, GitLab or Gitea.')
      const body = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0)
      if (!isSignedPush(provider, { headers, body, keys: keysOf(provider), now: new Date() })) {
        throw unauthorized(`The webhook is not signed with the secret that this server has for ${provider}.`)
      }
      const event = String(headers[EVENT_HEADERS[provider]] ?? headers['x-forgejo-event'] ?? '')
      const push = readPush(body, { contentType: headers['content-type'] ?? '', event })
      if (push.kind === 'other') return reply.code(200).send({ ignored: `The webhook ${push.what}.` })
      const made = await services.following.pushed(push, { provider, delivery: deliveryOf(provider, headers, body) })
      if (made === null) {
        const what = `No project follows the branch ${JSON.stringify(push.branch)} of this repository.`
        return reply.code(200).send({ ignored: what })
      }
      const { job, replayed } = made
      reply.header('location', `/jobs/${job.id}`)
      const answer = toWireJob(await services.jobs.get(job.id))
      if (replayed) return reply.code(200).header('idempotency-replayed', 'true').send(answer)
      return reply.code(202).header('retry-after', '1').send(answer)
    },
  )
}

export default pushRoutes
