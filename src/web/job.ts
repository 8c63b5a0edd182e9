import { setTimeout } from 'node:timers/promises'
import type { Static } from 'typebox'
import { toWireEvent, toWireJob } from '../contract/job-answer.ts'
import { JobParams, ReplyBodySchema, type BudgetAnswer, type JobEventAnswer, type ReplyBody } from '../contract/job.ts'
import { FaultlineError } from '../core/errors.ts'
import { isTerminal } from '../core/job.ts'
import { baseName } from '../core/path-names.ts'
import { MAX_REPLY_CHARS } from '../core/reply-limits.ts'
import { Type } from '../core/type.ts'
import { actorOf } from '../http/actor.ts'
import { asDownload } from '../http/download.ts'
import { validateBody } from '../http/validate-body.ts'
import { readDiffPage } from './diffs.ts'
import { wantsStream } from './explain.ts'
import { CsrfToken, PlainForm } from './forms.ts'
import { html } from './html.ts'
import { eventsKept } from './job-events.ts'
import { LimitFields, limitsOf } from './limits.ts'
import { diffOf, ENDED, jobPage, jobParts, jobPath, NO_QUESTION, partId, type JobShown } from './parts/job.ts'
import type { Web, WebApp } from './web.ts'

/** What happens within this time is shown together. */
const TOGETHER_MS = 300

const ViewQuery = Type.Object(
  {
    view: Type.Optional(Type.Enum(['unified', 'split'])),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  },
  { additionalProperties: false },
)
const LiveQuery = Type.Object(
  { ...ViewQuery.properties, asked: Type.Optional(Type.String({ maxLength: 600 })) },
  { additionalProperties: false },
)
const ReplyForm = Type.Object(
  {
    _csrf: CsrfToken,
    asked: Type.String({ maxLength: 200 }),
    reply: Type.Enum(['answer', 'skip', 'approve', 'reject', 'budget']),
    answer: Type.Optional(Type.String({ maxLength: MAX_REPLY_CHARS.answer })),
    comment: Type.Optional(Type.String({ maxLength: MAX_REPLY_CHARS.comment })),
    ...LimitFields,
  },
  { additionalProperties: false },
)
const RetryForm = Type.Object(
  { _csrf: CsrfToken, from_step: Type.Optional(Type.String({ maxLength: 100 })), ...LimitFields },
  { additionalProperties: false },
)

/** Which of the changes are shown, and how. */
type DiffPlace = Static<typeof ViewQuery>

type ReplyFields = Partial<Record<'answer' | 'comment' | 'tokens' | 'seconds' | 'usd', string>> & { reply: string }

/** @throws {FaultlineError} VALIDATION_FAILED */
function budgetOf(fields: ReplyFields): BudgetAnswer {
  const limits = limitsOf(fields)
  if (limits !== null) return limits
  throw new FaultlineError('VALIDATION_FAILED', 'No limit was given.', 'Go back, and give at least one limit.')
}

/** What a form says, as a client of the API would send it. */
function replyOf(fields: ReplyFields): ReplyBody {
  const { reply, answer = '', comment = '' } = fields
  if (reply === 'skip') return { skip: true }
  if (reply === 'answer') return { answer }
  if (reply === 'budget') return { budget: budgetOf(fields) }
  if (reply === 'approve') return { decision: 'approve' }
  return comment.trim() === '' ? { decision: 'reject' } : { decision: 'reject', comment }
}

/** What a person does with one job. */
export function jobRoutes(app: WebApp, { services, frameOf, send }: Web): void {
  const { jobs } = services

  /** Looks at a job again and again; reads only the events that are new, and a diff that is another one. */
  function createLook(id: string, { view = 'unified', page = 1 }: DiffPlace): () => Promise<JobShown> {
    let last = 0
    let events: JobEventAnswer[] = []
    let diff: { of: string; shown: JobShown['diff'] } | null = null
    return async () => {
      const [placed, fresh, files] = await Promise.all([jobs.get(id), jobs.events(id, last), jobs.files(id)])
      const job = toWireJob(placed)
      last = fresh.at(-1)?.id ?? last
      events = eventsKept([...events, ...fresh.map(toWireEvent)])
      const text = diffOf(job)
      if (diff?.of !== text) diff = { of: text, shown: await readDiffPage(text, page, services) }
      return { job, asked: placed.asked, events, files, diff: diff.shown, view }
    }
  }

  app.get(
    '/ui/jobs/:id',
    { schema: { hide: true, params: JobParams, querystring: ViewQuery } },
    async (request, reply) => {
      const shown = await createLook(request.params.id, request.query)()
      return send(request, reply, jobPage(frameOf(request, reply), shown))
    },
  )

  /**
   * Keeps a page up to date: each message holds the parts that are no longer as the page has them. Its id names the
   * question that the page shows then, so that one who comes again, and may be writing an answer, is not sent it again.
   */
  app.get(
    '/ui/jobs/:id/live',
    { schema: { hide: true, params: JobParams, querystring: LiveQuery } },
    async (request, reply) => {
      const { id } = request.params
      if (!wantsStream(request)) return reply.redirect(jobPath(frameOf(request, reply), id), 303)
      const { asked = NO_QUESTION } = request.query
      const frame = frameOf(request, reply)
      const look = createLook(id, request.query)
      await look() // what is refused is a problem while the status can still be set
      const stream = reply.openEventStream()
      const ending = AbortSignal.any([request.clientSignal, services.draining])
      const sent = new Map<string, string>()
      let shownQuestion = String(request.headers['last-event-id'] ?? asked)

      async function show(): Promise<void> {
        const shown = await look()
        const question = encodeURIComponent(shown.asked ?? NO_QUESTION)
        const changed = Object.entries(jobParts(frame, shown)).flatMap(([name, part]) => {
          const text = String(part ?? '')
          const isThere = name === 'question' ? shownQuestion === question : sent.get(name) === text
          sent.set(name, text)
          return isThere ? [] : [html`<div hx-swap-oob="innerHTML:#${partId(name)}">${part}</div>`]
        })
        shownQuestion = question
        if (changed.length > 0) stream.sendText(changed.join(''), question)
        if (isTerminal(shown.job.status)) stream.send(ENDED, {})
        await stream.drained()
      }

      const events = jobs.follow(id, await jobs.lastEvent(id), ending)
      /** What happens while a message is made and sent is shown by the next one. */
      const news: { isDue: boolean; isOver: boolean; error: unknown } = { isDue: true, isOver: false, error: null }
      const followed = (async () => {
        while ((await events.next()).done !== true) news.isDue = true
      })().then(
        () => {
          news.isOver = true
        },
        (error: unknown) => {
          Object.assign(news, { isOver: true, error })
        },
      )
      try {
        while (!news.isOver) {
          if (news.isDue) {
            news.isDue = false
            await show()
          }
          await Promise.race([followed, setTimeout(TOGETHER_MS)])
        }
        if (news.error !== null) throw news.error
        await show()
      } finally {
        stream.end(services.draining.aborted)
      }
    },
  )

  app.post(
    '/ui/jobs/:id/reply',
    { schema: { hide: true, params: JobParams, body: ReplyForm } },
    async (request, reply) => {
      const { asked } = request.body
      const body = replyOf(request.body)
      validateBody(request, ReplyBodySchema, body)
      await jobs.reply(request.params.id, body, request.keyName, request.id, asked)
      return reply.redirect(jobPath(frameOf(request, reply), request.params.id), 303)
    },
  )

  app.post(
    '/ui/jobs/:id/cancel',
    { schema: { hide: true, params: JobParams, body: PlainForm } },
    async (request, reply) => {
      await jobs.cancel(request.params.id, actorOf(request))
      return reply.redirect(jobPath(frameOf(request, reply), request.params.id), 303)
    },
  )

  app.post(
    '/ui/jobs/:id/retry',
    { schema: { hide: true, params: JobParams, body: RetryForm } },
    async (request, reply) => {
      const { id, type, budget } = await jobs.get(request.params.id)
      const limits = limitsOf(request.body)
      const input = await services.completeRetry({
        type,
        input: await jobs.input(id),
        overrides: limits === null ? {} : { budget: { ...budget, ...limits } },
        validate: (schema, body) => validateBody(request, schema, body),
      })
      const { from_step: from = '' } = request.body
      const { job } = await jobs.retry(id, input, { fromStep: from === '' ? undefined : from, ...actorOf(request) })
      return reply.redirect(jobPath(frameOf(request, reply), job.id), 303)
    },
  )

  app.get('/ui/jobs/:id/files/*', { schema: { hide: true, params: JobParams } }, async ({ params }, reply) => {
    const { id, '*': path } = params as { id: string; '*': string } // TypeBox takes no property of that name
    return asDownload(reply, baseName(path)).send(await jobs.readFile(id, path))
  })

  for (const kind of ['diff', 'patch'] as const) {
    app.get(`/ui/jobs/:id/${kind}`, { schema: { hide: true, params: JobParams } }, async ({ params: { id } }, reply) =>
      asDownload(reply, `${id}.${kind}`, 'text/x-diff; charset=utf-8').send(await jobs.text(id, kind)),
    )
  }

  app.get('/ui/jobs/:id/archive', { schema: { hide: true, params: JobParams } }, async ({ params: { id } }, reply) =>
    asDownload(reply, `${id}.tar.gz`).send(await jobs.archive(id)),
  )
}
