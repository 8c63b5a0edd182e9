import { toWireJob } from '../contract/job-answer.ts'
import type { JobAnswer } from '../contract/job.ts'
import type { ResolutionRow } from '../contract/kept-resolution.ts'
import { visibilityOf } from '../core/access.ts'
import { decodeTextCursor, encodeCursor } from '../core/cursor.ts'
import type { ProjectInfo } from '../core/project.ts'
import { Type } from '../core/type.ts'
import { html, type Html } from './html.ts'
import { jobTable } from './jobs.ts'
import { csrfField, type PageContent, type PageFrame } from './parts/page.ts'
import { timePart } from './parts/time.ts'
import type { Web, WebApp } from './web.ts'

/** What the first page shows. */
interface Home {
  projects: readonly ProjectInfo[]
  /** Where the list of projects goes on; null at its end. */
  next: string | null
  /** Whether these are all the projects. */
  isAll: boolean
  /** The newest, first. */
  resolutions: readonly ResolutionRow[]
  /** Those that wait for a person. */
  waiting: readonly JobAnswer[]
}

const projectRow = ({ prefix }: PageFrame, { projectName, indexState, problem }: ProjectInfo): Html => html`
<tr>
<th scope="row"><a href="${prefix}/ui/projects/${encodeURIComponent(projectName)}">${projectName}</a></th>
<td><span class="state ${indexState}">${indexState}</span></td>
<td>${problem?.detail}</td>
</tr>`

const projectTable = (frame: PageFrame, projects: readonly ProjectInfo[]): Html => html`
<div class="scroll" tabindex="0" role="region" aria-label="Projects">
<table>
<thead><tr><th scope="col">Project</th><th scope="col">Index</th><th scope="col">Problem</th></tr></thead>
<tbody>${projects.map(project => projectRow(frame, project))}</tbody>
</table></div>`

const cloneForm = (frame: PageFrame): Html => html`
<form class="row" method="post" action="${frame.prefix}/ui/projects">
${csrfField(frame)}
<label>Repository <input name="url" required size="40" placeholder="https://github.com/pallets/flask"></label>
<label>Branch <input name="branch" size="12"></label>
<label>Name <input name="project_name" size="12"></label>
<button type="submit" class="main">Clone</button>
</form>`

/** Names to choose from, or to begin to write where there are more than a page lists. */
const projectField = ({ projects, isAll }: Pick<Home, 'projects' | 'isAll'>): Html => {
  const options = projects.map(({ projectName }) => html`<option>${projectName}</option>`)
  return isAll
    ? html`<select id="project_name" name="project_name" required>${options}</select>`
    : html`<input id="project_name" name="project_name" required maxlength="64" size="24" list="projects">
<datalist id="projects">${options}</datalist>`
}

const pasteForm = (frame: PageFrame, home: Home): Html => html`
<form method="post" action="${frame.prefix}/ui/resolutions">
${csrfField(frame)}
<label for="stacktrace">Stack trace or log</label>
<textarea id="stacktrace" name="stacktrace" rows="12" required data-drop
placeholder="Paste a stack trace or a whole log, or drop a file here" spellcheck="false"></textarea>
<div class="row">
<label for="project_name">Project</label>
${projectField(home)}
<button type="submit" class="main">Find the code</button>
</div>
</form>`

const resolutionItem = ({ prefix }: PageFrame, { id, title, project_name: project, at }: ResolutionRow): Html => html`
<li><a href="${prefix}/ui/resolutions/${id}">${title === '' ? 'No error' : title}</a>
<span class="quiet">${project}, ${timePart(at)}</span></li>`

/** The first page: what can be asked about, a box to ask, and what was asked last. */
function homePage(frame: PageFrame, home: Home): PageContent {
  const { projects, resolutions, waiting, next } = home
  return {
    title: 'Projects',
    main: html`
<h1>From a stack trace to its code</h1>
${projects.length > 0 && pasteForm(frame, home)}
${
  waiting.length > 0 &&
  html`<section>
<h2>Jobs that wait for a person</h2>
${jobTable(frame, waiting)}
</section>`
}
<section>
<h2>Projects</h2>
${projects.length === 0 ? html`<p>There is no project yet.</p>` : projectTable(frame, projects)}
${next !== null && html`<p><a href="${frame.prefix}/ui?cursor=${encodeURIComponent(next)}">More projects</a></p>`}
${frame.mayWrite && cloneForm(frame)}
</section>
<section>
<h2>Newest resolutions</h2>
${
  resolutions.length === 0
    ? html`<p class="quiet">None yet.</p>`
    : html`<ul class="list">${resolutions.map(row => resolutionItem(frame, row))}</ul>`
}
</section>`,
  }
}

const HomeQuery = Type.Object(
  { cursor: Type.Optional(Type.String({ maxLength: 300 })) },
  { additionalProperties: false },
)
const SHOWN_PROJECTS = 100
const SHOWN_RESOLUTIONS = 20
const SHOWN_JOBS = 20

/** `/ui`, and `/` for browsers. */
export function homeRoutes(app: WebApp, { services, prefix, frameOf, send }: Web): void {
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    if (request.accepts().type(['json', 'html']) !== 'html') return reply.callNotFound()
    return reply.redirect(`${prefix}/ui`, 303)
  })

  app.get('/ui', { schema: { hide: true, querystring: HomeQuery } }, async (request, reply) => {
    const { access } = request
    const after = decodeTextCursor(request.query.cursor)
    const { projects, next: last } = await services.projects.list(SHOWN_PROJECTS, after, access)
    const next = last === null ? null : encodeCursor(last)
    const filter = { projectNames: access.projects, fingerprint: undefined, withFeedback: false }
    const resolutions = await services.resolutions.list(filter, SHOWN_RESOLUTIONS, null)
    const waitingFilter = { status: 'waiting' as const, visibleTo: visibilityOf(access, request.keyName) }
    const waiting = (await services.jobs.list(waitingFilter, SHOWN_JOBS, null)).map(toWireJob)
    const isAll = next === null && request.query.cursor === undefined
    return send(request, reply, homePage(frameOf(request, reply), { projects, next, isAll, resolutions, waiting }))
  })
}
