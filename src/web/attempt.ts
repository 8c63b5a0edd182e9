import { JobParams } from '../contract/job.ts'
import type { TaskResultAnswer } from '../contract/task.ts'
import { toWireJob } from '../contract/job-answer.ts'
import { FaultlineError } from '../core/errors.ts'
import { Type } from '../core/type.ts'
import { readDiff } from './diffs.ts'
import { html } from './html.ts'
import { diffPart } from './parts/diff.ts'
import type { Web, WebApp } from './web.ts'

const AttemptParams = Type.Object({
  ...JobParams.properties,
  number: Type.Integer({ minimum: 1, maximum: 1_000 }),
})

/** What one attempt of a task changed: that of an attempt that was sent back is nowhere else. */
export function attemptRoutes(app: WebApp, { services, frameOf, send }: Web): void {
  app.get(
    '/ui/jobs/:id/attempts/:number',
    { schema: { hide: true, params: AttemptParams } },
    async (request, reply) => {
      const { id, number } = request.params
      const { type, result } = toWireJob(await services.jobs.get(id))
      const { attempts } = (result ?? {}) as Partial<TaskResultAnswer>
      const attempt = type === 'task' ? attempts?.find(one => one.number === number) : undefined
      if (attempt === undefined) throw new FaultlineError('NOT_FOUND', `The job has no attempt ${number}.`)
      const { files, isCut } = await readDiff(attempt.diff, services)
      const changes = html`
${files.length === 0 && html`<p class="quiet">Nothing was changed.</p>`}
${files.map(file => diffPart(file, 'unified', ` in attempt ${number}`))}
${isCut && html`<p class="notice">The diff goes on; the API has all of it, in the result of the job.</p>`}`
      reply.header('vary', 'hx-request')
      if (request.headers['hx-request'] === 'true') {
        return reply.type('text/html; charset=utf-8').serializer(String).send(changes.toString())
      }
      return send(request, reply, {
        title: `Attempt ${number} of ${id}`,
        main: html`
<h1>What attempt ${number} changed</h1>
<p><a href="${frameOf(request, reply).prefix}/ui/jobs/${id}">The job</a></p>
<h2>Changes</h2>
${changes}`,
      })
    },
  )
}
