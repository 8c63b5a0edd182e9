import { setTimeout } from 'node:timers/promises'
import { toWireEvent, toWireJob } from '../contract/job-answer.ts'
import { JobParams, type JobAnswer, type JobEventAnswer, type JobFileAnswer, type ReplyBody } from '../contract/job.ts'
import type { ResolutionAnswer } from '../contract/resolution.ts'
import { isObject } from '../core/is-object.ts'
import { FaultlineError } from '../core/errors.ts'
import { isTerminal } from '../core/job.ts'
import { baseName } from '../core/path-names.ts'
import { MAX_REPLY_CHARS } from '../core/reply-limits.ts'
import { Type } from '../core/type.ts'
import { actorOf } from '../http/actor.ts'
import { asDownload } from '../http/download.ts'
import { validateBody } from '../http/validate-body.ts'
import { resultText } from '../text/generation-text.ts'
import { cloneText, eventsText, progressText } from '../text/job-text.ts'
import type { CloneAnswer } from '../contract/project.ts'
import { plain } from '../text/paint.ts'
import { asked as requestOf } from '../text/request-text.ts'
import { count } from '../text/table.ts'
import { readDiff } from './diffs.ts'
import { wantsStream } from './explain.ts'
import { CsrfToken, PlainForm } from './forms.ts'
import { html, type Html } from './html.ts'
import { adviceOnPages } from './advice.ts'
import { attemptsPart } from './parts/attempts.ts'
import { diffPart, type DiffFile, type DiffView } from './parts/diff.ts'
import { csrfField, type PageContent, type PageFrame } from './parts/page.ts'
import { questionPart } from './parts/question.ts'
import { stepsOf, stepsPart } from './parts/steps.ts'
import { eventsKept } from './job-events.ts'
import { timePart } from './parts/time.ts'
import type { Web, WebApp } from './web.ts'

/** All that a page shows of a job. */
interface JobShown {
  job: JobAnswer
  /** Names the question that is open; null where none is. */
  asked: string | null
  events: readonly JobEventAnswer[]
  files: readonly JobFileAnswer[]
  diff: { files: readonly DiffFile[]; isCut: boolean }
  view: DiffView
}

const SHOWN_EVENTS = 200
const SHOWN_FILES = 100
/** In the place of the name of a question, where there is none. */
const NO_QUESTION = '-'
/** The event after which a page need not hear of its job any more. */
const ENDED = 'ended'
/** What happens within this time is shown together. */
const TOGETHER_MS = 300

const textIn = (value: unknown, name: string): string => {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === 'string' ? found : ''
}

/** The diff that a job asks about, or that it made. */
const diffOf = ({ request, result }: JobAnswer): string =>
  request === null ? textIn(result, 'diff') : textIn(request, 'diff')

const jobPath = ({ prefix }: PageFrame, id: string): string => `${prefix}/ui/jobs/${id}`

function resultPart(frame: PageFrame, job: JobAnswer): Html | null {
  const { type, result } = job
  if (result === null) return null
  if (type === 'resolve') {
    return html`<ul class="list">${(result as ResolutionAnswer[]).map(
      ({ id, exceptions }) =>
        html`<li><a href="${frame.prefix}/ui/resolutions/${id}">${exceptions.at(-1)?.type ?? 'No error'}</a></li>`,
    )}</ul>`
  }
  const text = type === 'clone' ? cloneText(result as CloneAnswer, plain) : resultText(job, plain)
  return html`${text !== '' && html`<pre class="code text" tabindex="0">${text}</pre>`}`
}

function diffSection(frame: PageFrame, { job, diff: { files, isCut }, view }: JobShown): Html | null {
  if (files.length === 0) return null
  const path = jobPath(frame, job.id)
  return html`
<section>
<h2>Changes</h2>
<p class="row">${
    view === 'split'
      ? html`<a href="${path}">One below the other</a> <span>Side by side</span>`
      : html`<span>One below the other</span> <a href="${path}?view=split">Side by side</a>`
  }</p>
${files.map(file => diffPart(file, view))}
${isCut && html`<p class="notice">The diff goes on; the API has all of it: <code>GET /jobs/${job.id}/diff</code>.</p>`}
</section>`
}

function filesSection(frame: PageFrame, { job: { id }, files }: JobShown): Html | null {
  if (files.length === 0) return null
  const path = jobPath(frame, id)
  const more = files.length - SHOWN_FILES
  return html`
<section>
<h2>Files</h2>
<ul class="list">${files.slice(0, SHOWN_FILES).map(
    ({ path: name, bytes }) =>
      html`<li><a href="${path}/files/${encodeURI(name).replace(/[?#]/g, encodeURIComponent)}"><code>${name}</code></a>
<span class="quiet">${count(bytes, 'byte')}</span></li>`,
  )}</ul>
${more > 0 && html`<p class="quiet">and ${count(more, 'more file')}.</p>`}
<p><a href="${path}/archive">Download all as .tar.gz</a></p>
</section>`
}

function actionsPart(frame: PageFrame, { job: { id, status }, events }: JobShown): Html | null {
  if (!frame.mayWrite) return null
  const path = jobPath(frame, id)
  if (!isTerminal(status)) {
    return html`
<form method="post" action="${path}/cancel">${csrfField(frame)}<button type="submit">Cancel</button></form>`
  }
  const names = new Set(stepsOf(events).flatMap(({ name, isStage }) => (isStage ? [] : [name])))
  return html`
<form class="row" method="post" action="${path}/retry">${csrfField(frame)}
<label for="from_step">Start again from</label>
<select id="from_step" name="from_step"><option value="">the beginning</option>
${Array.from(names, name => html`<option value="${name}">${name}</option>`)}</select>
<button type="submit">Start again</button></form>`
}

function usagePart({ usage, redactions }: JobAnswer): Html | null {
  const { llm_calls: calls, prompt_tokens: sent, completion_tokens: written, usd } = usage
  if (calls === 0) return null
  const price = usd === null ? '' : `, ${usd} US dollars`
  const hidden = redactions === 0 ? '' : `; ${count(redactions, 'secret')} left out`
  const tokens = `${sent} tokens sent, ${written} written`
  return html`<p class="quiet">${count(calls, 'call')} of a model: ${tokens}${price}${hidden}.</p>`
}

function logPart({ job: { id }, events }: JobShown): Html {
  const isCut = events.length > SHOWN_EVENTS
  return html`
<h2>Log</h2>
<pre class="code text log" tabindex="0">${eventsText(events.slice(-SHOWN_EVENTS), plain)}</pre>
${isCut && html`<p class="quiet">The newest ${SHOWN_EVENTS} rows; all of it: <code>GET /jobs/${id}/events</code>.</p>`}`
}

const statusPart = (job: JobAnswer): Html => html`
<p role="status"><span class="state ${job.status}">${job.status}</span> ${progressText(job)}</p>
${
  job.error !== null &&
  html`<p role="alert"><code>${job.error.code}</code> ${job.error.message}</p><p>${adviceOnPages(job.error.fix ?? '')}</p>`
}`

/** What changes while a job runs, in its order on the page; what has nothing to say is empty. */
function jobParts(frame: PageFrame, shown: JobShown): Record<string, Html | null> {
  const { job, asked, events } = shown
  const steps = stepsOf(events)
  const isOpen = job.request !== null && asked !== null
  return {
    status: statusPart(job),
    question: isOpen ? questionPart(frame, { jobId: job.id, asked, request: requestOf(job) }) : null,
    result: resultPart(frame, job),
    attempts: attemptsPart(frame, job),
    changes: diffSection(frame, shown),
    files: filesSection(frame, shown),
    steps: steps.length > 0 ? stepsPart(steps) : null,
    log: logPart(shown),
    usage: usagePart(job),
    actions: actionsPart(frame, shown),
  }
}

const partId = (name: string): string => `job-${name}`

function jobPage(frame: PageFrame, shown: JobShown): PageContent {
  const { job, asked } = shown
  const of = job.project_name === null ? '' : ` of ${job.project_name}`
  const query = new URLSearchParams({ view: shown.view, asked: encodeURIComponent(asked ?? NO_QUESTION) })
  const live = html`
<div hx-sse:connect="${jobPath(frame, job.id)}/live?${query.toString()}" hx-sse:close="${ENDED}" hx-swap="none"></div>`
  return {
    title: `${job.type}${of}: ${job.status}`,
    main: html`
<h1>${job.type}${of}</h1>
<p class="quiet"><code>${job.id}</code>, made ${timePart(job.created_at, 'second')},
<a href="${jobPath(frame, job.id)}/transcript">transcript</a></p>
${!isTerminal(job.status) && live}
<div id="job">
${Object.entries(jobParts(frame, shown)).map(([name, part]) => html`<section id="${partId(name)}">${part}</section>`)}
</div>`,
  }
}

const ViewQuery = Type.Object({ view: Type.Optional(Type.Enum(['unified', 'split'])) }, { additionalProperties: false })
const LiveQuery = Type.Object(
  { ...ViewQuery.properties, asked: Type.Optional(Type.String({ maxLength: 600 })) },
  { additionalProperties: false },
)
const Amount = Type.Optional(Type.String({ maxLength: 20 }))
const ReplyForm = Type.Object(
  {
    _csrf: CsrfToken,
    asked: Type.String({ maxLength: 200 }),
    reply: Type.Enum(['answer', 'skip', 'approve', 'reject', 'budget']),
    answer: Type.Optional(Type.String({ maxLength: MAX_REPLY_CHARS.answer })),
    comment: Type.Optional(Type.String({ maxLength: MAX_REPLY_CHARS.comment })),
    tokens: Amount,
    seconds: Amount,
    usd: Amount,
  },
  { additionalProperties: false },
)
const RetryForm = Type.Object(
  { _csrf: CsrfToken, from_step: Type.Optional(Type.String({ maxLength: 100 })) },
  { additionalProperties: false },
)

type ReplyFields = Partial<Record<'answer' | 'comment' | 'tokens' | 'seconds' | 'usd', string>> & { reply: string }

/** @throws {FaultlineError} VALIDATION_FAILED */
function budgetOf(fields: ReplyFields): ReplyBody['budget'] {
  const given = (['tokens', 'seconds', 'usd'] as const).flatMap(name => {
    const text = fields[name]?.trim() ?? ''
    return text === '' ? [] : [[name, Number(text)] as const]
  })
  const wrong = given.find(([name, value]) => !(value > 0) || (name === 'tokens' && !Number.isInteger(value)))
  if (wrong !== undefined || given.length === 0) {
    const what = wrong === undefined ? 'No limit was given' : `${wrong[0]} is no number above 0`
    throw new FaultlineError('VALIDATION_FAILED', `${what}.`, 'Go back, and give at least one limit.')
  }
  return Object.fromEntries(given)
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
  function createLook(id: string, view: DiffView): () => Promise<JobShown> {
    let last = 0
    let events: JobEventAnswer[] = []
    let diff: { of: string; shown: JobShown['diff'] } | null = null
    return async () => {
      const [placed, fresh, files] = await Promise.all([jobs.get(id), jobs.events(id, last), jobs.files(id)])
      const job = toWireJob(placed)
      last = fresh.at(-1)?.id ?? last
      events = eventsKept([...events, ...fresh.map(toWireEvent)])
      const text = diffOf(job)
      if (diff?.of !== text) diff = { of: text, shown: await readDiff(text, services) }
      return { job, asked: placed.asked, events, files, diff: diff.shown, view }
    }
  }

  app.get(
    '/ui/jobs/:id',
    { schema: { hide: true, params: JobParams, querystring: ViewQuery } },
    async (request, reply) => {
      const shown = await createLook(request.params.id, request.query.view ?? 'unified')()
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
      const { view = 'unified', asked = NO_QUESTION } = request.query
      const frame = frameOf(request, reply)
      const look = createLook(id, view)
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
      await jobs.reply(request.params.id, replyOf(request.body), request.keyName, request.id, asked)
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
      const { id, type } = await jobs.get(request.params.id)
      const input = await services.completeRetry({
        type,
        input: await jobs.input(id),
        overrides: {},
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

  app.get('/ui/jobs/:id/archive', { schema: { hide: true, params: JobParams } }, async ({ params: { id } }, reply) =>
    asDownload(reply, `${id}.tar.gz`).send(await jobs.archive(id)),
  )
}
