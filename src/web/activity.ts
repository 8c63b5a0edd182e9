import { AuditQuery, type AuditAnswer, type AuditPage } from '../contract/audit.ts'
import { visibilityOf } from '../core/access.ts'
import { html, type Html } from './html.ts'
import type { PageContent, PageFrame } from './parts/page.ts'
import { timePart } from './parts/time.ts'
import type { Web, WebApp } from './web.ts'

const FILTERS = [
  ['key', 'Key'],
  ['project_name', 'Project'],
  ['action', 'Action'],
] as const

/** What is looked for, by the name of its field. */
type Filter = Readonly<Partial<Record<(typeof FILTERS)[number][0], string>>>

function entryRow({ prefix }: PageFrame, entry: AuditAnswer): Html {
  const { at, key, action, project_name: project, target, outcome } = entry
  const isJob = action.startsWith('run.') && target !== null
  const about = isJob ? html`<a href="${prefix}/ui/jobs/${encodeURIComponent(target)}">${target}</a>` : target
  return html`
<tr><td>${timePart(at, 'second')}</td><td>${key}</td><td>${action}</td>
<td>${project}</td><td>${about}</td><td>${outcome}</td></tr>`
}

const entryTable = (frame: PageFrame, entries: readonly AuditAnswer[]): Html => html`
<div class="scroll" tabindex="0" role="region" aria-label="Activity">
<table><thead><tr><th scope="col">When (UTC)</th><th scope="col">Key</th><th scope="col">Action</th>\
<th scope="col">Project</th><th scope="col">About</th><th scope="col">Outcome</th></tr></thead>
<tbody>${entries.map(entry => entryRow(frame, entry))}</tbody></table></div>`

function activityPage(frame: PageFrame, filter: Filter, { data, next_cursor: next }: AuditPage): PageContent {
  const path = `${frame.prefix}/ui/activity`
  const more = new URLSearchParams({ ...filter, ...(next === null ? {} : { cursor: next }) })
  return {
    title: 'Activity',
    main: html`
<h1>Activity</h1>
<form class="row" method="get" action="${path}">
${FILTERS.map(
  ([name, label]) => html`<label>${label} <input name="${name}" value="${filter[name]}" size="16"></label>`,
)}
<button type="submit">Show</button>
</form>
${data.length === 0 ? html`<p class="quiet">Nothing.</p>` : entryTable(frame, data)}
${next !== null && html`<p><a href="${path}?${more.toString()}">Older</a></p>`}`,
  }
}

/** Who did what. */
export function activityRoutes(app: WebApp, { services, frameOf, send }: Web): void {
  app.get(
    '/ui/activity',
    {
      // an empty field looks for everything
      preValidation: async request => {
        const query = request.query as Record<string, unknown>
        for (const [name] of FILTERS) if (query[name] === '') delete query[name]
      },
      schema: { hide: true, querystring: AuditQuery },
    },
    async (request, reply) => {
      const { query, access, keyName } = request
      const page = await services.audit.page(query, visibilityOf(access, keyName))
      const { key, project_name: project, action } = query
      const given = Object.entries({ key, project_name: project, action }).filter(([, text]) => text !== undefined)
      return send(request, reply, activityPage(frameOf(request, reply), Object.fromEntries(given) as Filter, page))
    },
  )
}
