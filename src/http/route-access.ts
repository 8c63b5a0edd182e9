import type { FastifyRequest } from 'fastify'
import { PIPELINE_PATHS } from '../contract/job-names.ts'

/**
 * What a route needs. `open`: no key at all. `read`, `write`: such a key. `clone`: `write`, and a project of the key by
 * name. `pipeline`: `write`, but `read` is enough for a dry run. `resolve`: `read` where no model is called and no job
 * is made. `whole`: `read`, of a key that sees all projects.
 */
export type Need = 'open' | 'read' | 'write' | 'clone' | 'pipeline' | 'resolve' | 'whole'

/**
 * What each route needs, the only place that says so. A route that is not here is for keys that may do everything.
 * Which project or job a request is about is the same on all routes: `/projects/:name`, `/jobs/:id`, those of the pages
 * below `/ui`, and the fields `project_name` and `job_id` of the body.
 */
const NEEDS: ReadonlyMap<string, Need> = new Map<string, Need>([
  ['GET /health', 'open'],
  ['GET /ready', 'open'],
  ['GET /metrics', 'read'],
  ['GET /cluster', 'whole'],
  ['GET /audit', 'read'],
  ['POST /clone', 'clone'],
  ['GET /projects', 'read'],
  ['GET /projects/:name', 'read'],
  ['PATCH /projects/:name', 'write'],
  ['DELETE /projects/:name', 'write'],
  ['GET /projects/:name/search', 'read'],
  ['POST /projects/:name/upload', 'write'],
  ...['search', 'read', 'definitions', 'references', 'history'].map((question): [string, Need] => [
    `POST /projects/:name/code/${question}`,
    'read',
  ]),
  ['POST /mcp', 'read'],
  ['POST /parse', 'read'],
  ['POST /resolve', 'resolve'],
  ['GET /resolutions', 'read'],
  ['GET /resolutions/:id', 'read'],
  ['POST /resolutions/:id/feedback', 'write'],
  ...Object.values(PIPELINE_PATHS).map((path): [string, Need] => [`POST ${path}`, 'pipeline']),
  ['GET /tasks', 'read'],
  ['GET /tasks/:number', 'read'],
  ['GET /jobs', 'read'],
  ['GET /jobs/:id', 'read'],
  ['DELETE /jobs/:id', 'write'],
  ['POST /jobs/:id/reply', 'write'],
  ['POST /jobs/:id/cancel', 'write'],
  ['POST /jobs/:id/retry', 'write'],
  ['GET /jobs/:id/events', 'read'],
  ['GET /jobs/:id/files', 'read'],
  ['GET /jobs/:id/files/*', 'read'],
  ['GET /jobs/:id/archive', 'read'],
  ['GET /jobs/:id/diff', 'read'],
  ['GET /jobs/:id/patch', 'read'],
  ['GET /jobs/:id/transcript', 'read'],
  ['POST /webhooks/ci', 'open'],
  ['POST /webhooks/push', 'open'],
  ['GET /', 'open'],
  ['GET /ui', 'read'],
  ['GET /ui/*', 'read'],
  ['GET /ui/sign-in', 'open'],
  ['POST /ui/sign-in', 'open'],
  ['POST /ui/sign-out', 'read'],
  ['GET /ui/assets/*', 'open'],
  ['GET /ui/htmx/*', 'open'],
  ['POST /ui/resolutions', 'read'],
  ['POST /ui/resolutions/:id/answer', 'write'],
  ['GET /ui/resolutions/:id/text', 'read'],
  ['GET /ui/resolutions/:id/suspects/:commit', 'read'],
  ['POST /ui/resolutions/:id/investigate', 'write'],
  ['POST /ui/resolutions/:id/fix', 'write'],
  ['POST /ui/resolutions/:id/feedback', 'read'],
  ['GET /ui/resolutions/:id', 'read'],
  ['GET /ui/activity', 'read'],
  ['POST /ui/projects', 'clone'],
  ['GET /ui/projects/:name', 'read'],
  ['GET /ui/projects/:name/file', 'read'],
  ['GET /ui/projects/:name/files/:repository/:commit/*', 'read'],
  ['POST /ui/projects/:name/settings', 'write'],
  ['POST /ui/projects/:name/clone', 'write'],
  ['POST /ui/projects/:name/delete', 'write'],
  ['GET /ui/jobs', 'read'],
  ['GET /ui/jobs/:id', 'read'],
  ['GET /ui/jobs/:id/live', 'read'],
  ['GET /ui/jobs/:id/transcript', 'read'],
  ['GET /ui/jobs/:id/attempts/:number', 'read'],
  ['GET /ui/jobs/:id/files/*', 'read'],
  ['GET /ui/jobs/:id/archive', 'read'],
  ['GET /ui/jobs/:id/diff', 'read'],
  ['GET /ui/jobs/:id/patch', 'read'],
  ['POST /ui/jobs/:id/reply', 'write'],
  ['POST /ui/jobs/:id/cancel', 'write'],
  ['POST /ui/jobs/:id/retry', 'write'],
])

/** The documentation, whose routes its plugin makes. */
const DOCS_PATH = /^\/docs(?:\/.*)?$/
const OPEN_PATH = /^\/(?:health|ready|docs(?:\/.*)?|webhooks\/.*)$/

/** What a route needs, by its method and the pattern of its path; null where nothing is declared. */
export function needOf(method: string, url: string): Need | null {
  if (DOCS_PATH.test(url)) return 'open'
  const asked = method === 'HEAD' ? 'GET' : method
  return NEEDS.get(`${asked} ${url}`) ?? null
}

/** Whether no key is needed, also for a path below the open ones that no route has. */
export function isOpen({ is404, method, url, routeOptions }: FastifyRequest): boolean {
  if (is404) return OPEN_PATH.test(url.split('?', 1)[0] ?? '')
  return needOf(method, routeOptions.url ?? '') === 'open'
}
