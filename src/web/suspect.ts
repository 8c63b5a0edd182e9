import { ResolutionParams } from '../contract/kept-resolution.ts'
import type { ResolutionAnswer } from '../contract/resolution.ts'
import { seesProject } from '../core/access.ts'
import { FaultlineError } from '../core/errors.ts'
import { Type } from '../core/type.ts'
import { shortCommit } from '../text/table.ts'
import { readDiff } from './diffs.ts'
import { refOf } from './excerpts.ts'
import { html, type Html } from './html.ts'
import { diffPart } from './parts/diff.ts'
import { resolutionPath } from './parts/resolution-forms.ts'
import { headlineOf } from './parts/trace.ts'
import type { Web, WebApp } from './web.ts'

type Suspect = ResolutionAnswer['suspect_commits'][number]

const SuspectParams = Type.Object({
  ...ResolutionParams.properties,
  commit: Type.String({ pattern: '^[0-9a-f]{40,64}$' }),
})

/** The commits of a line's past that are looked through for the suspect. */
const COMMITS = 20

/** The repository that a path of the answer lies in; undefined where the answer does not say. */
const repositoryOf = ({ frames, sources }: ResolutionAnswer, path: string): string | undefined =>
  [...frames, ...sources].find(place => place.path === path)?.repository ?? undefined

/** What a suspect commit changed of the lines that it is suspected for. */
export function suspectRoutes(app: WebApp, { services, frameOf, send }: Web): void {
  async function changesOf(resolution: ResolutionAnswer, suspect: Suspect, signal: AbortSignal): Promise<Html> {
    const { path, lines, commit } = suspect
    const code = await services.codeTools.open(resolution.project_name, { ...refOf(resolution), signal })
    const { data, notice } = await code.explainLineHistory(
      {
        path,
        repository: repositoryOf(resolution, path),
        startLine: Math.min(...lines),
        endLine: Math.max(...lines),
        limit: COMMITS,
      },
      signal,
    )
    const own = data.find(one => one.commit === commit)
    if (own === undefined) {
      return html`<p class="quiet">${notice ?? 'Git does not say what it changed of these lines.'}</p>`
    }
    const { files, isCut } = await readDiff(own.diff, services)
    return html`${files.map(file => diffPart(file, 'unified', ` in ${shortCommit(commit)}`))}
${isCut && html`<p class="notice">The diff goes on; <code>git show ${shortCommit(commit)}</code> has all of it.</p>`}`
  }

  app.get(
    '/ui/resolutions/:id/suspects/:commit',
    { schema: { hide: true, params: SuspectParams } },
    async (request, reply) => {
      const { id, commit } = request.params
      const resolution = await services.resolutions.get(id, name => seesProject(request.access, name))
      const suspect = resolution.suspect_commits.find(one => one.commit === commit)
      if (suspect === undefined) throw new FaultlineError('NOT_FOUND', 'The answer names no such commit.')
      const changes = await changesOf(resolution, suspect, request.clientSignal)
      reply.header('vary', 'hx-request')
      if (request.headers['hx-request'] === 'true') {
        return reply.type('text/html; charset=utf-8').serializer(String).send(changes.toString())
      }
      const frame = frameOf(request, reply)
      return send(request, reply, {
        title: `${suspect.summary}: ${suspect.path}`,
        main: html`
<h1>${suspect.summary}</h1>
<p class="quiet"><code>${commit}</code> by ${suspect.author}; ${suspect.why}</p>
<p><a href="${resolutionPath(frame, id)}">${headlineOf(resolution)}</a></p>
<h2>What it changed</h2>
${changes}`,
      })
    },
  )
}
