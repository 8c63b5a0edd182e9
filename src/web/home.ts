import type { ResolutionRow } from '../contract/kept-resolution.ts'
import type { ProjectInfo } from '../core/project.ts'
import { html, type Html } from './html.ts'
import type { PageContent, PageFrame } from './parts/page.ts'

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

const pasteForm = ({ prefix }: PageFrame, projects: readonly ProjectInfo[]): Html => html`
<form class="paste" method="post" action="${prefix}/ui/resolutions">
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
export function homePage(frame: PageFrame, { projects, resolutions }: Home): PageContent {
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
