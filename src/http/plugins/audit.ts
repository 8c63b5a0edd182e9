import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { FaultlineError, type ErrorCode } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import { actorOf } from '../actor.ts'
import { projectsIn } from '../named-in.ts'

const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'FORBIDDEN_HOST',
  'FORBIDDEN_ORIGIN',
  'ADDRESS_REFUSED',
  'LOCAL_REPOSITORY_REFUSED',
])

/** The project that a known key named; what others send does not get into the log. */
function projectOf(request: FastifyRequest): string | null {
  if (request.keyName === null) return null
  return projectsIn(request).find(isProjectName) ?? null
}

/** Notes in the audit log who was refused. */
export default fp(
  async app => {
    const { audit } = app.services
    app.addHook('onError', async (request, _reply, error: Error) => {
      if (!(error instanceof FaultlineError) || !REFUSALS.has(error.code)) return
      const route = `${request.method} ${request.routeOptions.url ?? '(none)'}`
      await audit.refused(actorOf(request), { code: error.code, route, projectName: projectOf(request) })
    })
  },
  { name: 'audit', dependencies: ['api-keys'] },
)
