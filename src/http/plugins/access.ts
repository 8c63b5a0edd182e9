import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { seesProject, seesWork, visibilityOf } from '../../core/access.ts'
import { FaultlineError } from '../../core/errors.ts'
import { jobNotFound, projectNotFound } from '../../core/not-found.ts'
import { bodyOf, jobsIn, projectsIn } from '../named-in.ts'
import { needOf, type Need } from '../route-access.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route as `METHOD /path` with what it needs; null where nothing is declared. */
    routeNeeds: ReadonlyMap<string, Need | null>
  }
}

const WRITE_KEY = 'se a key that may write: API_KEYS=name:key:write.'

/** The error for what a key may not do. */
function forbidden({ keyName }: FastifyRequest, what: string, fix: string): FaultlineError {
  return new FaultlineError('FORBIDDEN', `The key ${JSON.stringify(keyName)} ${what}.`, fix)
}

/** @param instead - The sentence that says how to ask so that the key may. */
function readsOnly(request: FastifyRequest, instead?: string): FaultlineError {
  const fix = instead === undefined ? `U${WRITE_KEY}` : `${instead} Or u${WRITE_KEY}`
  return forbidden(request, 'may only read: it changes nothing and calls no model', fix)
}

/** @throws {FaultlineError} FORBIDDEN when a key that may only read asks for an answer that calls a model. */
function checkResolve(request: FastifyRequest, hasModel: boolean): void {
  const { dry_run: isDryRun, mode } = bodyOf(request)
  if (isDryRun === true) return
  if (/\brespond-async\b/.test(String(request.headers.prefer ?? ''))) {
    throw readsOnly(request, 'Leave Prefer: respond-async out, which makes a job.')
  }
  if (hasModel && mode !== 'context') {
    throw readsOnly(request, 'Send "mode": "context", for which no model is called.')
  }
}

/** What a key that may only read is refused once the body is known. */
function checkReading(request: FastifyRequest, need: Need, hasModel: boolean): void {
  if (need === 'resolve') checkResolve(request, hasModel)
  if (need === 'pipeline' && bodyOf(request).dry_run !== true) {
    throw readsOnly(request, 'Send "dry_run": true, for which no model is called.')
  }
}

/** A key that sees some projects makes no others; the same whether there is such a project or not. */
function checkCloned(request: FastifyRequest, projects: readonly string[]): void {
  const { project_name: name } = bodyOf(request)
  if (typeof name === 'string' && projects.includes(name.toLowerCase())) return
  const what = typeof name === 'string' ? `may not make the project ${JSON.stringify(name)}` : 'is bound to projects'
  throw forbidden(request, what, `Send project_name: ${projects.join(' or ')}.`)
}

/**
 * Refuses what a key may not do. What is of a project that it does not see is not there for it, in the words that are
 * used for what is not there for anybody.
 */
export default fp(
  async app => {
    const { services } = app
    const routeNeeds = new Map<string, Need | null>()
    app.decorate('routeNeeds', routeNeeds)
    app.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routeNeeds.set(`${one} ${url}`, needOf(one, url))
    })

    async function needVisible(request: FastifyRequest): Promise<void> {
      const { access, keyName } = request
      const hidden = projectsIn(request).find(name => !seesProject(access, name))
      if (hidden !== undefined) throw projectNotFound(hidden)
      for (const id of jobsIn(request)) {
        const job = await services.jobs.get(id)
        if (!seesWork(visibilityOf(access, keyName), job)) throw jobNotFound(id)
      }
    }

    app.addHook('onRequest', async request => {
      const { access, is404, method, routeOptions } = request
      if (is404 || (access.mayWrite && access.projects === null)) return
      const need = needOf(method, routeOptions.url ?? '')
      if (need === null) throw forbidden(request, 'may not do this', 'Use a key that may do everything.')
      if (need === 'whole' && access.projects !== null) {
        throw forbidden(request, 'is bound to projects', 'Use a key that sees all projects.')
      }
      if (!access.mayWrite && (need === 'write' || need === 'clone')) throw readsOnly(request)
    })

    // the body is parsed and checked: what it names is known
    app.addHook('preHandler', async request => {
      const { access, is404, method, routeOptions } = request
      if (is404 || (access.mayWrite && access.projects === null)) return
      const need = needOf(method, routeOptions.url ?? '')
      if (need === null || need === 'open') return
      if (!access.mayWrite) checkReading(request, need, services.hasModel)
      if (access.projects === null) return
      if (need === 'clone') checkCloned(request, access.projects)
      await needVisible(request)
    })
  },
  { name: 'access', dependencies: ['auth'] },
)
