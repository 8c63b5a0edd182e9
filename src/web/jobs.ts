import { toWireJob } from '../contract/job-answer.ts'
import { JobsQuery, type JobAnswer } from '../contract/job.ts'
import { JOB_STATUSES } from '../contract/job-names.ts'
import { visibilityOf } from '../core/access.ts'
import { decodeNumberCursor, encodeCursor } from '../core/cursor.ts'
import { progressText } from '../text/job-text.ts'
import { html, type Html } from './html.ts'
import type { PageContent, PageFrame } from './parts/page.ts'
import { timePart } from './parts/time.ts'
import type { Web, WebApp } from './web.ts'

/** Jobs as they are listed. */
interface JobList {
  jobs: readonly JobAnswer[]
  /** Which they are, by the name of a field of the query. */
  filter: Readonly<Record<string, string>>
  /** Where the list goes on; null at its end. */
  next: string | null
}

function whereOf(job: JobAnswer): string {
  if (job.error !== null) return job.error.message
  return job.progress === null ? '' : progressText(job)
}

const jobRow = ({ prefix }: PageFrame, job: JobAnswer): Html => html`
<tr><th scope="row"><a href="${prefix}/ui/jobs/${job.id}">${job.type}</a></th>
<td><span class="state ${job.status}">${job.status}</span></td><td>${job.project_name}</td>
<td>${timePart(job.created_at)}</td>
<td>${whereOf(job)}</td></tr>`

/** Jobs in a table. */
export const jobTable = (frame: PageFrame, jobs: readonly JobAnswer[]): Html => html`
<div class="scroll" tabindex="0" role="region" aria-label="Jobs">
<table><thead><tr><th scope="col">Job</th><th scope="col">Status</th><th scope="col">Project</th>\
<th scope="col">Made</th><th scope="col">Where it stands</th></tr></thead>
<tbody>${jobs.map(job => jobRow(frame, job))}</tbody></table></div>`

function jobsPage(frame: PageFrame, { jobs, filter, next }: JobList): PageContent {
  const path = `${frame.prefix}/ui/jobs`
  const more = new URLSearchParams({ ...filter, ...(next === null ? {} : { cursor: next }) })
  return {
    title: 'Jobs',
    main: html`
<h1>Jobs</h1>
<form class="row" method="get" action="${path}">
<label for="status">Status</label>
<select id="status" name="status"><option value="">all</option>
${JOB_STATUSES.map(one => html`<option${one === filter.status && html` selected`}>${one}</option>`)}</select>
<button type="submit">Show</button>
</form>
${jobs.length === 0 ? html`<p class="quiet">None.</p>` : jobTable(frame, jobs)}
${next !== null && html`<p><a href="${path}?${more.toString()}">Older ones</a></p>`}`,
  }
}

/** The list of jobs. */
export function jobListRoutes(app: WebApp, { services, frameOf, send }: Web): void {
  app.get(
    '/ui/jobs',
    {
      // a select sends an empty field for "all"
      preValidation: async request => {
        const query = request.query as Record<string, unknown>
        if (query.status === '') delete query.status
      },
      schema: { hide: true, querystring: JobsQuery },
    },
    async (request, reply) => {
      const { access, keyName, query } = request
      const { type, status, project_name: projectName, limit, cursor } = query
      const filter = { type, status, projectName, visibleTo: visibilityOf(access, keyName) }
      const found = await services.jobs.list(filter, limit + 1, decodeNumberCursor(cursor))
      const last = found[limit - 1]
      const next = found.length > limit && last !== undefined ? encodeCursor(last.seq) : null
      const jobs = found.slice(0, limit).map(toWireJob)
      const { cursor: _cursor, ...asked } = query
      const given = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)]))
      return send(request, reply, jobsPage(frameOf(request, reply), { jobs, filter: given, next }))
    },
  )
}
