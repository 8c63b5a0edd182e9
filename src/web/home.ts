import type { ResolutionRow } from '../contract/kept-resolution.ts'
import type { ProjectInfo } from '../core/project.ts'
import { html, type Html } from './html.ts'
import { csrfField, type PageContent, type PageFrame } from './parts/page.ts'
import type { Web, WebApp } from './web.ts'

/** What the first page shows. */
interface Home {
  projects: readonly ProjectInfo[]
  /** The newest, first. */
  resolutions: readonly ResolutionRow[]
}

const projectRow = ({ projectName, indexState, problem }: ProjectInfo): Html => html`
<tr>
<th scope="row">${projectName}</th>
<td><span class="state ${indexState}">${indexState}</span></td>
<td>${problem?.detail}</td>
</tr>`

const projectTable = (projects: readonly ProjectInfo[]): Html => html`
<table>
<thead><tr><th scope="col">Project</th><th scope="col">Index</th><th scope="col">Problem</th></tr></thead>
<tbody>${projects.map(projectRow)}</tbody>
</table>`

const NO_PROJECT = html`
<p>There is no project yet. Clone one:</p>
<pre><code>faultline clone https://github.com/pallets/flask</code></pre>`

const pasteForm = (frame: PageFrame, projects: readonly ProjectInfo[]): Html => html`
<form class="paste" method="post" action="${frame.prefix}/ui/resolutions">
${csrfField(frame)}
<label for="stacktrace">Stack trace or log</label>
<textarea id="stacktrace" name="stacktrace" rows="12" required spellcheck="false" autocomplete="off"></textarea>
<div class="row">
<label for="project_name">Project</label>
<select id="project_name" name="project_name" required>
${projects.map(({ projectName }) => html`<option>${projectName}</option>`)}
</select>
<button type="submit">Find the code</button>
</div>
</form>`

const resolutionItem = ({ prefix }: PageFrame, { id, title, project_name: project, at }: ResolutionRow): Html => html`
<li><a href="${prefix}/ui/resolutions/${id}">${title === '' ? 'No error' : title}</a>
<span class="quiet">${project}, <time datetime="${at}">${at.slice(0, 16).replace('T', ' ')}</time></span></li>`

/** The first page: what can be asked about, a box to ask, and what was asked last. */
function homePage(frame: PageFrame, { projects, resolutions }: Home): PageContent {
  return {
    title: 'Projects',
    main: html`
<h1>From a stack trace to its code</h1>
${projects.length === 0 ? NO_PROJECT : pasteForm(frame, projects)}
<section>
<h2>Projects</h2>
${projects.length === 0 ? html`<p class="quiet">None.</p>` : projectTable(projects)}
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

const SHOWN_PROJECTS = 100
const SHOWN_RESOLUTIONS = 20

/** `/ui`, and `/` for browsers. */
export function homeRoutes(app: WebApp, { services, prefix, frameOf, send }: Web): void {
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    if (request.accepts().type(['json', 'html']) !== 'html') return reply.callNotFound()
    return reply.redirect(`${prefix}/ui`, 303)
  })

  app.get('/ui', { schema: { hide: true } }, async (request, reply) => {
    const { access } = request
    const { projects } = await services.projects.list(SHOWN_PROJECTS, null, access)
    const filter = { projectNames: access.projects, fingerprint: undefined, withFeedback: false }
    const resolutions = await services.resolutions.list(filter, SHOWN_RESOLUTIONS, null)
    return send(request, reply, homePage(frameOf(request, reply), { projects, resolutions }))
  })
}
