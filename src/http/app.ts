import accepts from '@fastify/accepts'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { buildLateSerializer } from './compile-late.ts'
import { limitConnections } from './connections.ts'
import access from './plugins/access.ts'
import afterSweep from './plugins/after-sweep.ts'
import audit from './plugins/audit.ts'
import apiKeys from './plugins/api-keys.ts'
import auth, { type AuthOptions } from './plugins/auth.ts'
import clientSignal from './plugins/client-signal.ts'
import eventStreams, { type EventStreamOptions } from './plugins/event-streams.ts'
import limits, { type LimitsOptions } from './plugins/limits.ts'
import forwarded from './plugins/forwarded.ts'
import metrics from './plugins/metrics.ts'
import openapi from './plugins/openapi.ts'
import pageSessions from './plugins/page-sessions.ts'
import problems, { handleClientError, handleFrameworkError } from './plugins/problems.ts'
import slowBodies from './plugins/slow-bodies.ts'
import validation from './plugins/validation.ts'
import auditRoutes from '../routes/audit.ts'
import codeRoutes from '../routes/code.ts'
import clusterRoutes from '../routes/cluster.ts'
import jobEventRoutes from '../routes/job-events.ts'
import jobFileRoutes from '../routes/job-files.ts'
import jobRoutes from '../routes/jobs.ts'
import mcpRoutes from '../routes/mcp.ts'
import operationRoutes from '../routes/operations.ts'
import parseRoutes from '../routes/parse.ts'
import pipelineRoutes from '../routes/pipelines.ts'
import projectRoutes from '../routes/projects.ts'
import resolutionRoutes from '../routes/resolutions.ts'
import pushRoutes from '../routes/pushes.ts'
import resolveRoutes from '../routes/resolve.ts'
import taskRoutes from '../routes/tasks.ts'
import uploadRoutes from '../routes/uploads.ts'
import webhookRoutes from '../routes/webhooks.ts'
import { JobSchema } from '../contract/job.ts'
import { ProjectSchema } from '../contract/project.ts'
import type { Services } from '../services/services.ts'
import pages from '../web/pages.ts'
import { pathPrefixOf, withoutPrefix } from './public-path.ts'

declare module 'fastify' {
  interface FastifyInstance {
    services: Services
    /** Whether browsers reach the server over TLS, by PUBLIC_URL. */
    isSecure: boolean
    /** The path of PUBLIC_URL, before all paths in links; empty where there is none. */
    pathPrefix: string
  }
}

/** What the app is made with. */
export interface AppOptions {
  services: Services
  auth: AuthOptions
  version: string
  /** Where others reach the server; default: where it listens. */
  publicUrl?: string | null
  logger?: FastifyServerOptions['loggerInstance']
  /** Others than the defaults, for tests that cannot send that much or wait that long. */
  limits?: LimitsOptions & EventStreamOptions & { connections?: number }
}

/** For a server whose process may open more files than it needs; see `connectionsFor`. */
const CONNECTIONS = 1000
const BODY_LIMIT_BYTES = 1024 * 1024
/** Longer than `?wait=60`; streams are hijacked and routes that call a model set their own. */
const HANDLER_TIMEOUT_MS = 75_000

/** The Fastify app with every plugin and route; it does not listen. */
export async function createApp({
  services,
  auth: authOptions,
  version,
  publicUrl = null,
  logger,
  limits: limitOptions,
}: AppOptions): Promise<FastifyInstance> {
  const pathPrefix = pathPrefixOf(publicUrl)
  const app = Fastify({
    loggerInstance: logger,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: 255 },
    rewriteUrl: ({ url = '/' }) => withoutPrefix(url, pathPrefix),
    requestIdHeader: false, // an id from outside could forge log lines
    genReqId: () => `req_${crypto.randomUUID()}`,
    requestTimeout: 3_600_000, // of the longest upload; slowBodies bounds all others
    connectionTimeout: 0, // streams and ?wait= are longer than any sensible value; slowBodies bounds what comes in
    keepAliveTimeout: 10_000,
    handlerTimeout: HANDLER_TIMEOUT_MS,
    // the header of the host: auth refuses, with a problem
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000, requireHostHeader: false },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // clientSignal refuses, with a problem
    trustProxy: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    schemaController: { compilersFactory: { buildSerializer: buildLateSerializer } },
    frameworkErrors: handleFrameworkError,
    clientErrorHandler: handleClientError,
  }).withTypeProvider<TypeBoxTypeProvider>()

  // taken by POST /resolve alone; elsewhere it would let any web page post a form
  app.removeContentTypeParser('text/plain')
  app.decorate('services', services)
  app.decorate('pathPrefix', pathPrefix)
  app.decorate('isSecure', publicUrl?.startsWith('https:') === true)
  const { connections = CONNECTIONS, ...options } = limitOptions ?? {}
  const { isCrowded } = limitConnections(app.server, { connections })
  // Node would answer 417 to any other Expect than 100-continue, without a problem and past all hooks
  app.server.on('checkExpectation', app.routing)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.addSchema(JobSchema)
  app.addSchema(ProjectSchema)

  await app.register(problems)
  await app.register(accepts)
  await app.register(clientSignal)
  await app.register(slowBodies)
  await app.register(validation)
  await app.register(forwarded)
  await app.register(apiKeys, authOptions)
  await app.register(pageSessions, authOptions)
  await app.register(limits, { ...options, isCrowded })
  await app.register(audit)
  await app.register(auth, authOptions)
  await app.register(access)
  // a process that works alone does not load what several nodes need
  if (services.node.cluster !== null) await app.register((await import('./plugins/nodes.ts')).default)
  await app.register(afterSweep)
  await app.register(eventStreams, { streams: Math.ceil(connections / 2), ...options })
  await app.register(openapi, { version, withKeys: authOptions.apiKeys.length > 0, publicUrl, pathPrefix })
  await app.register(metrics)
  await app.register(operationRoutes)
  await app.register(clusterRoutes)
  await app.register(auditRoutes)
  await app.register(projectRoutes)
  await app.register(codeRoutes)
  await app.register(uploadRoutes)
  await app.register(resolveRoutes)
  await app.register(resolutionRoutes)
  await app.register(parseRoutes)
  await app.register(pipelineRoutes)
  await app.register(taskRoutes)
  await app.register(jobRoutes)
  await app.register(jobEventRoutes)
  await app.register(jobFileRoutes)
  await app.register(webhookRoutes)
  await app.register(pushRoutes)
  await app.register(pages)
  await app.register(mcpRoutes, { version })
  return app as unknown as FastifyInstance
}
