import { toWireJob } from '../contract/job-answer.ts'
import type { JobAnswer } from '../contract/job.ts'
import { CloneBodySchema, ProjectPatch, ProjectSchema, type ProjectAnswer } from '../contract/project.ts'
import { ProjectName } from '../contract/primitives.ts'
import { fromWire, toWire } from '../contract/wire.ts'
import { visibilityOf } from '../core/access.ts'
import { FaultlineError } from '../core/errors.ts'
import { baseName } from '../core/path-names.ts'
import type { SearchHit } from '../core/resolution.ts'
import { Type } from '../core/type.ts'
import { actorOf } from '../http/actor.ts'
import { projectOfPath } from '../http/needs-index.ts'
import { validateBody } from '../http/validate-body.ts'
import { bytes as sizeText, count, shortCommit } from '../text/table.ts'
import { adviceOnPages } from './advice.ts'
import { lineShown } from './excerpts.ts'
import { CsrfToken } from './forms.ts'
import { html, trusted, type Html } from './html.ts'
import { jobTable } from './jobs.ts'
import { codePart } from './parts/code.ts'
import { fileAddress, projectPath } from './parts/code-address.ts'
import { csrfField, type PageContent, type PageFrame } from './parts/page.ts'
import { timePart } from './parts/time.ts'
import { patchOf, SettingsForm, settingsPart } from './settings.ts'
import type { Web, WebApp } from './web.ts'

function fileLink(frame: PageFrame, project: ProjectAnswer, file: { repository: string; path: string; line?: number }) {
  const commit = project.repositories.find(one => one.repository === file.repository)?.commit ?? ''
  return fileAddress(frame, project.project_name, { ...file, commit })
}

const searchForm = (frame: PageFrame, { project_name: name }: ProjectAnswer, query: string): Html => html`
<form class="row" method="get" action="${projectPath(frame, name)}" role="search">
<label for="q">Search the code</label>
<input id="q" name="q" value="${query}" maxlength="2000" size="40">
<button type="submit">Search</button>
</form>`

const openForm = (frame: PageFrame, { project_name: name }: ProjectAnswer): Html => html`
<form class="row" method="get" action="${projectPath(frame, name)}/file">
<label>File <input name="path" required maxlength="1024" size="32" placeholder="src/shop/cart.py"></label>
<label>at <input name="ref" maxlength="255" size="20" placeholder="commit, tag or branch"></label>
<button type="submit">Open</button>
</form>`

const countsPart = (counts: Readonly<Record<string, number>>): Html => html`
<ul class="list">${Object.entries(counts)
  .filter(([, number]) => number > 0)
  .toSorted(([, a], [, b]) => b - a)
  .map(([name, number]) => html`<li>${name.replaceAll('_', ' ')}: ${number}</li>`)}</ul>`

function reportPart(project: ProjectAnswer): Html {
  const {
    files_indexed: files,
    chunks_total: chunks,
    embedding,
    ann_recall: recall,
    search,
    store_bytes: size,
  } = project
  const vectors = embedding === null ? 'no vectors' : `vectors of ${embedding.model} (${embedding.dimensions})`
  const found = recall === null ? '' : `, recall ${recall}`
  const how = search === null ? '' : `, ${search} search${found}`
  return html`
<section>
<h2>Index</h2>
<p>${count(files, 'file')}, ${count(chunks, 'chunk')}, ${vectors}${how}; ${sizeText(size)}.</p>
<details><summary>Files by language</summary>${countsPart(project.languages)}</details>
<details><summary>Files that were left out</summary>${countsPart(project.files_skipped)}</details>
</section>`
}

function repositoryItem(frame: PageFrame, project: ProjectAnswer, one: ProjectAnswer['repositories'][number]): Html {
  const { repository, url, branch, commit, history, indexed_at: at } = one
  const again = html`
<form method="post" action="${projectPath(frame, project.project_name)}/clone">${csrfField(frame)}
<input type="hidden" name="repository" value="${repository}"><button type="submit">Clone again</button></form>`
  return html`
<li><code>${repository}</code> ${branch !== null && html`<code>${branch}</code>`} at <code>${shortCommit(commit)}</code>
<span class="quiet">${url}, ${history} history,
indexed ${timePart(at)}</span>
${frame.mayWrite && again}</li>`
}

const repositoriesPart = (frame: PageFrame, project: ProjectAnswer): Html => html`
<section>
<h2>Repositories</h2>
<ul class="list">${project.repositories.map(one => repositoryItem(frame, project, one))}</ul>
</section>`

const deletePart = (frame: PageFrame, { project_name: name }: ProjectAnswer): Html => html`
<details><summary>Delete this project</summary>
<p>Its index and the clones that no other project uses go. Its jobs stay unless they are purged, too.</p>
<form class="row" method="post" action="${projectPath(frame, name)}/delete">${csrfField(frame)}
<label><input type="checkbox" name="purge" value="yes"> Purge jobs, transcripts and what the audit log says</label>
<button type="submit">Delete ${name}</button></form></details>`

/** A hit with its lines, coloured where that is possible. */
interface ShownHit {
  hit: SearchHit
  lines: ReadonlyArray<string | Html>
}

const hitPart = (frame: PageFrame, project: ProjectAnswer, { hit, lines }: ShownHit): Html => html`
<li><a href="${fileLink(frame, project, { repository: hit.repository, path: hit.path, line: hit.snippetLine })}">\
<code>${hit.path}:${hit.startLine}-${hit.endLine}</code></a> <span class="quiet">${hit.reason}</span>
${codePart({ startLine: hit.snippetLine, lines, marked: hit.highlightedLines })}</li>`

interface ProjectShown {
  project: ProjectAnswer
  /** By repository. */
  checks: readonly ChecksShown[]
  /** The newest jobs that installed what its tests need. */
  installs: readonly JobAnswer[]
  query: string
  /** Null: nothing was searched for. */
  hits: readonly ShownHit[] | null
}

function hitsPart(frame: PageFrame, { project, query, hits }: ProjectShown): Html | null {
  if (hits === null) return null
  return html`
<section>
<h2>${count(hits.length, 'hit')} for “${query}”</h2>
<ol class="list">${hits.map(hit => hitPart(frame, project, hit))}</ol>
</section>`
}

/** Commands that hold for a repository, with who says them. */
interface ChecksShown {
  repository: string
  commands: ReadonlyArray<{ name: string; command: string; isSetHere: boolean }>
  /** Why its files could not be asked, so that others may hold; null where they were. */
  problem: string | null
}

const checksTable = ({ repository, commands }: ChecksShown): Html => html`
<div class="scroll" tabindex="0" role="region" aria-label="Checks of ${repository}">
<table><thead><tr><th scope="col">Check</th><th scope="col">Command</th><th scope="col">From</th></tr></thead>
<tbody>${commands.map(
  ({ name, command, isSetHere }) => html`
<tr><th scope="row">${name}</th><td><code>${command}</code></td>\
<td>${isSetHere ? 'the settings' : ".faultline.toml, or the project's files"}</td></tr>`,
)}</tbody></table></div>`

function checksPart(frame: PageFrame, { checks, installs }: ProjectShown): Html {
  const known = checks.filter(({ commands }) => commands.length > 0)
  return html`
<section>
<h2>Checks and environments</h2>
${known.length === 0 && html`<p class="quiet">No command is known that installs, checks or tests it.</p>`}
${known.map(one => [checks.length > 1 && html`<p><code>${one.repository}</code></p>`, checksTable(one)])}
${checks.map(({ problem }) => problem !== null && html`<p class="notice">Its files could not be asked: ${problem}</p>`)}
${
  installs.length === 0
    ? html`<p class="quiet">Nothing has been installed for its tests.</p>`
    : html`<p>What was installed for its tests, the newest first:</p>${jobTable(frame, installs)}`
}
</section>`
}

function projectPage(frame: PageFrame, shown: ProjectShown): PageContent {
  const { project, query } = shown
  const { project_name: name, index_state: state, problem } = project
  return {
    title: query === '' ? name : `${query} in ${name}`,
    main: html`
<h1>${name}</h1>
<p role="status"><span class="state ${state}">${state}</span></p>
${problem !== null && html`<p role="alert">${problem.detail}</p><p>${adviceOnPages(problem.fix)}</p>`}
${searchForm(frame, project, query)}
${openForm(frame, project)}
${hitsPart(frame, shown)}
${repositoriesPart(frame, project)}
${reportPart(project)}
${checksPart(frame, shown)}
${frame.mayWrite && settingsPart(frame, `${projectPath(frame, name)}/settings`, project)}
${frame.mayWrite && deletePart(frame, project)}`,
  }
}

/** Lines of a file as a commit has it. */
interface FileShown {
  repository: string
  commit: string
  path: string
  startLine: number
  lines: ReadonlyArray<string | Html>
  totalLines: number
  /** The line that the next page begins with; null on the last one. */
  nextLine: number | null
}

function filePage(frame: PageFrame, project: ProjectAnswer, file: FileShown): PageContent {
  const { repository, path, commit, startLine, lines, nextLine, totalLines } = file
  const last = startLine + lines.length - 1
  return {
    title: `${baseName(path)} of ${project.project_name}`,
    main: html`
<h1><code>${path}</code></h1>
<p class="quiet"><a href="${projectPath(frame, project.project_name)}">${project.project_name}</a>,
<code>${repository}</code> at <code>${shortCommit(commit)}</code></p>
${codePart({ startLine, lines, marked: [], anchors: true })}
${
  (startLine > 1 || nextLine !== null) &&
  html`<p class="notice">Lines ${startLine} to ${last} of ${totalLines}.
${startLine > 1 && html`<a href="?from=1">From the beginning</a>`}
${nextLine !== null && html`<a href="?from=${nextLine}">Go on</a>`}</p>`
}`,
  }
}

/** One page of a file has no more of it, as its markup weighs some times as much as its text. */
const FILE_TOKENS = 7_500
const FILE_LINES = 1_000
const SHOWN_HITS = 20
const SHOWN_INSTALLS = 5

const ProjectParams = Type.Object({ name: ProjectName })
const FileParams = Type.Object({
  ...ProjectParams.properties,
  repository: Type.String({ maxLength: 255 }),
  commit: Type.String({ pattern: '^[0-9a-f]{40}(?:[0-9a-f]{24})?$' }),
})
const OpenQuery = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1024 }),
    ref: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { additionalProperties: false },
)
const FileQuery = Type.Object(
  { from: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })) },
  { additionalProperties: false },
)
const SearchForm = Type.Object({ q: Type.Optional(Type.String({ maxLength: 2000 })) }, { additionalProperties: false })
const AgainForm = Type.Object(
  { _csrf: CsrfToken, repository: Type.String({ maxLength: 255 }) },
  { additionalProperties: false },
)
const DeleteForm = Type.Object(
  { _csrf: CsrfToken, purge: Type.Optional(Type.Literal('yes')) },
  { additionalProperties: false },
)
const CloneForm = Type.Object(
  {
    _csrf: CsrfToken,
    url: Type.String({ minLength: 1, maxLength: 2048 }),
    project_name: Type.Optional(Type.String({ maxLength: 100 })),
    branch: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { additionalProperties: false },
)

/** What a person does with one project. */
export function projectRoutes(app: WebApp, { services, frameOf, send }: Web): void {
  const { projects } = services

  async function searched(project: ProjectAnswer, query: string, signal: AbortSignal): Promise<ShownHit[] | null> {
    if (query.trim() === '') return null
    const { hits } = await services.resolving.search(project.project_name, query, SHOWN_HITS, signal)
    const coloured = await services.highlight(hits.map(({ path, snippet: text }) => ({ path, text })))
    return hits.map((hit, at) => ({ hit, lines: coloured[at]?.map(trusted) ?? hit.snippet.split('\n') }))
  }

  /** @throws {FaultlineError} FILE_NOT_FOUND, REF_NOT_FOUND; what the index does not take is not there. */
  async function shownFile(
    project: ProjectAnswer,
    file: Pick<FileShown, 'repository' | 'commit' | 'path'> & { from: number },
    signal: AbortSignal,
  ): Promise<FileShown> {
    const { repository, commit, path, from } = file
    // without a commit what is not committed is read, too, as it is indexed
    const isIndexed = project.repositories.some(one => one.repository === repository && one.commit === commit)
    const code = await services.codeTools.open(project.project_name, isIndexed ? { signal } : { ref: commit, signal })
    const endLine = from + FILE_LINES - 1
    const place = { repository, path, startLine: from, endLine, maxTokens: FILE_TOKENS }
    const { endLine: last, ...read } = await code.readCode(place, signal)
    const nextLine = last < read.totalLines ? last + 1 : null
    const lines = read.text.split('\n').map(lineShown)
    const [coloured = null] = await services.highlight([{ path, text: lines.join('\n') }])
    return { ...file, ...read, nextLine, lines: coloured?.map(trusted) ?? lines }
  }

  /** The commands that hold; where a clone cannot be read now, those of the settings and why there are no others. */
  async function checksOf({ project_name: projectName, repositories, checks: set }: ProjectAnswer) {
    return await Promise.all(
      repositories.map(async ({ repository, commit }): Promise<ChecksShown> => {
        let found: typeof set = {}
        let problem: string | null = null
        try {
          if (commit !== null) found = await services.checksOf({ projectName, repository, commit })
        } catch (error) {
          if (!(error instanceof FaultlineError)) throw error
          problem = error.message
        }
        const commands = Object.entries({ ...found, ...set }).map(([name, command]) => {
          return { name, command, isSetHere: set[name as keyof typeof set] === command }
        })
        return { repository, commands, problem }
      }),
    )
  }

  async function beginClone(request: Parameters<typeof frameOf>[0], body: Record<string, string>): Promise<string> {
    validateBody(request, CloneBodySchema, body)
    const input = await services.requests.clone.complete(body)
    const { job } = await services.jobs.create('clone', input, actorOf(request))
    return job.id
  }

  app.get(
    '/ui/projects/:name',
    { config: { needsIndexOf: projectOfPath }, schema: { hide: true, params: ProjectParams, querystring: SearchForm } },
    async (request, reply) => {
      const project = toWire(ProjectSchema, await projects.get(request.params.name))
      const { q: query = '' } = request.query
      const visibleTo = visibilityOf(request.access, request.keyName)
      const [hits, checks, installs] = await Promise.all([
        searched(project, query, request.clientSignal),
        checksOf(project),
        services.jobs.list({ type: 'environment', projectName: project.project_name, visibleTo }, SHOWN_INSTALLS, null),
      ])
      const shown = { project, query, hits, checks, installs: installs.map(toWireJob) }
      return send(request, reply, projectPage(frameOf(request, reply), shown))
    },
  )

  app.get(
    '/ui/projects/:name/file',
    { config: { needsIndexOf: projectOfPath }, schema: { hide: true, params: ProjectParams, querystring: OpenQuery } },
    async (request, reply) => {
      const { name } = request.params
      const [path, ref] = [request.query.path.trim(), (request.query.ref ?? '').trim()]
      const signal = request.clientSignal
      const code = await services.codeTools.open(name, ref === '' ? { signal } : { ref, signal })
      const { repository, path: found } = await code.readCode({ path, maxTokens: 100 }, signal)
      const commit = code.commits.find(one => one.repository === repository)?.commit ?? ''
      return reply.redirect(fileAddress(frameOf(request, reply), name, { repository, commit, path: found }), 303)
    },
  )

  app.get(
    '/ui/projects/:name/files/:repository/:commit/*',
    { config: { needsIndexOf: projectOfPath }, schema: { hide: true, params: FileParams, querystring: FileQuery } },
    async (request, reply) => {
      const { name, repository, commit } = request.params
      const { '*': path } = request.params as unknown as { '*': string } // TypeBox takes no property of that name
      const project = toWire(ProjectSchema, await projects.get(name))
      const from = request.query.from ?? 1
      const shown = await shownFile(project, { repository, commit, path, from }, request.clientSignal)
      return send(request, reply, filePage(frameOf(request, reply), project, shown))
    },
  )

  app.post(
    '/ui/projects/:name/settings',
    { schema: { hide: true, params: ProjectParams, body: SettingsForm } },
    async (request, reply) => {
      const { name } = request.params
      const patch = patchOf(request.body)
      validateBody(request, ProjectPatch, patch)
      await services.changeProject(name, fromWire(ProjectPatch, patch), actorOf(request))
      return reply.redirect(projectPath(frameOf(request, reply), name), 303)
    },
  )

  app.post(
    '/ui/projects/:name/clone',
    { schema: { hide: true, params: ProjectParams, body: AgainForm } },
    async (request, reply) => {
      const { projectName, repositories } = await projects.get(request.params.name)
      const repository = repositories.find(one => one.repository === request.body.repository)
      if (repository === undefined) throw new FaultlineError('NOT_FOUND', 'The project has no such repository.')
      const { url, branch } = repository
      const body = { url, project_name: projectName, ...(branch === null ? {} : { branch }) }
      return reply.redirect(`${frameOf(request, reply).prefix}/ui/jobs/${await beginClone(request, body)}`, 303)
    },
  )

  app.post('/ui/projects', { schema: { hide: true, body: CloneForm } }, async (request, reply) => {
    const { _csrf: _token, ...given } = request.body
    const typed = Object.entries(given).map(([name, text]) => [name, text.trim()] as const)
    const body = Object.fromEntries(typed.filter(([, text]) => text !== ''))
    return reply.redirect(`${frameOf(request, reply).prefix}/ui/jobs/${await beginClone(request, body)}`, 303)
  })

  app.post(
    '/ui/projects/:name/delete',
    { schema: { hide: true, params: ProjectParams, body: DeleteForm } },
    async (request, reply) => {
      const purge = request.body.purge === 'yes'
      await services.removeProject(request.params.name, { purge }, actorOf(request))
      return reply.redirect(`${frameOf(request, reply).prefix}/ui`, 303)
    },
  )
}
