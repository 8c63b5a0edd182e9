import type { FastifyRequest } from 'fastify'

/** The fields of a body that say what a request is about. */
export function bodyOf({ body }: FastifyRequest): Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body) ? (body as Record<string, unknown>) : {}
}

const textIn = (values: unknown, name: string): string[] => {
  const value = (values as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'string' ? [value] : []
}

const PROJECT_PATH = /^(?:\/ui)?\/projects\/:name(?:\/|$)/
const JOB_PATH = /^(?:\/ui)?\/jobs\/:id(?:\/|$)/

/** The projects that a request names; their names may be malformed. */
export function projectsIn(request: FastifyRequest): string[] {
  const isOfProject = PROJECT_PATH.test(request.routeOptions.url ?? '')
  return [...(isOfProject ? textIn(request.params, 'name') : []), ...textIn(bodyOf(request), 'project_name')]
}

/** The ids of the jobs that a request names. */
export function jobsIn(request: FastifyRequest): string[] {
  const isOfJob = JOB_PATH.test(request.routeOptions.url ?? '')
  return [...(isOfJob ? textIn(request.params, 'id') : []), ...textIn(bodyOf(request), 'job_id')]
}
