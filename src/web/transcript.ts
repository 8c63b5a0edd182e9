import { toWireTranscript } from '../contract/job-answer.ts'
import { JobParams, type JobAnswer } from '../contract/job.ts'
import type { TranscriptEntryAnswer } from '../contract/transcript.ts'
import { transcriptParts } from '../text/transcript-text.ts'
import { count } from '../text/table.ts'
import { html, type Html } from './html.ts'
import type { PageContent, PageFrame } from './parts/page.ts'
import { timePart } from './parts/time.ts'
import type { Web, WebApp } from './web.ts'

/** What a page takes: whoever wants all of it asks the API. */
const MAX_ENTRIES = 300
const MAX_CHARS = 100_000
const MAX_ENTRY_CHARS = 8_000

interface EntryShown {
  at: string
  step: string | null
  title: string
  body: string
  /** Characters that are left out. */
  more: number
}

/** The entries from the first on, as much of them as a page takes. */
function entriesShown(entries: readonly TranscriptEntryAnswer[]): EntryShown[] {
  let left = MAX_CHARS
  return entries.slice(0, MAX_ENTRIES).map(entry => {
    const { title, body } = transcriptParts(entry)
    const shown = body.slice(0, Math.min(left, MAX_ENTRY_CHARS))
    left -= shown.length
    return { at: entry.at, step: entry.step, title, body: shown, more: body.length - shown.length }
  })
}

function entryItem({ at, step, title, body, more }: EntryShown): Html {
  const head = html`${timePart(at, 'second')} ${step !== null && html`<code>${step}</code>`} ${title}`
  if (body === '' && more === 0) return html`<li>${head}</li>`
  return html`<li><details><summary>${head}</summary><pre class="code text" tabindex="0">${body}</pre>
${more > 0 && html`<p class="notice">It goes on for ${count(more, 'character')}.</p>`}</details></li>`
}

function transcriptPage(
  { prefix }: PageFrame,
  { id, type }: Pick<JobAnswer, 'id' | 'type'>,
  entries: readonly TranscriptEntryAnswer[],
): PageContent {
  const shown = entriesShown(entries)
  const isCut = shown.length < entries.length || shown.some(({ more }) => more > 0)
  return {
    title: `Transcript of ${type}`,
    main: html`
<h1>Transcript</h1>
<p class="quiet">Word for word what models and people were asked and said, and what was run, for
<a href="${prefix}/ui/jobs/${id}">${type} <code>${id}</code></a></p>
${isCut && html`<p class="notice">All of it: <code>GET /jobs/${id}/transcript</code>.</p>`}
<ol class="list">${shown.map(entryItem)}</ol>`,
  }
}

/** What was said in a job. */
export function transcriptRoutes(app: WebApp, { services: { jobs }, frameOf, send }: Web): void {
  app.get('/ui/jobs/:id/transcript', { schema: { hide: true, params: JobParams } }, async (request, reply) => {
    const { id } = request.params
    const { job, entries } = await jobs.transcript(id)
    const found = toWireTranscript(job, await jobs.input(id), entries)
    return send(request, reply, transcriptPage(frameOf(request, reply), job, found))
  })
}
