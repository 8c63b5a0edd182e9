import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { createApp, type AppOptions } from '../../src/http/app.ts'
import { WORKER_THREADS } from '../../src/threads/entry.ts'
import { INLINE_THREADS } from './inline-threads.ts'
import { loadConfig, type Variables } from '../../src/config.ts'
import { createServices, type ServiceOptions, type Services } from '../../src/services/services.ts'

export interface TestApp {
  app: FastifyInstance
  services: Services
  /** Below ALLOW_LOCAL_REPOS: repositories made here can be cloned by path. */
  reposDir: string
  /** Root of the data folders. */
  root: string
  /** What the log was told, one entry a call. */
  logged: Array<{ context: object; message: string }>
  /** Closes app and services before the test ends; the data stays. */
  close: () => Promise<void>
}

/** The real app over real services in a folder of the test; everything is closed in its teardown. */
export async function buildApp(
  t: Test,
  options: {
    env?: Variables
    root?: string
    limits?: AppOptions['limits']
    definitions?: ServiceOptions['definitions']
    requests?: ServiceOptions['requests']
    freeBytes?: ServiceOptions['freeBytes']
    /** Real ones for what is about threads: work that is ended, or that goes on beside HTTP. */
    threads?: 'real' | 'inline'
  } = {},
): Promise<TestApp> {
  let close = async () => {}
  // before testdir(): tap undoes in reverse, and the folder must not go while it is written to
  t.teardown(() => close())
  const { env = {}, root = t.testdir() } = options
  const limits = { eventLoopDelayMs: 30_000, ...options.limits } // a busy machine is not what tests are about
  const reposDir = join(root, 'repos')
  mkdirSync(reposDir, { recursive: true })
  const config = loadConfig({ root, env: { ALLOW_LOCAL_REPOS: reposDir, LOG_LEVEL: 'silent', ...env } })
  const logged: TestApp['logged'] = []
  const note = (context: object, message: string) => {
    logged.push({ context, message })
  }
  const services = await createServices(
    config,
    { info: () => {}, warn: note, error: note },
    {
      definitions: options.definitions,
      requests: options.requests,
      freeBytes: options.freeBytes,
      starter: options.threads === 'real' ? WORKER_THREADS : INLINE_THREADS,
    },
  )
  const app = await createApp({
    services,
    auth: { apiKeys: config.apiKeys, host: config.host, allowedHosts: config.allowedHosts },
    version: '0.0.0-test',
    publicUrl: config.publicUrl,
    limits,
  })
  let closed: Promise<void> | undefined
  close = () => {
    closed ??= (async () => {
      services.beginClosing()
      await app.close()
      await services.close()
    })()
    return closed
  }
  await services.start()
  return { app, services, reposDir, root, logged, close }
}

/** Clones a repository through the API and waits; fails the test when the job does not succeed. */
export async function cloneInto(t: Test, { app }: Pick<TestApp, 'app'>, body: Record<string, unknown>) {
  const res = await app.inject({ method: 'POST', url: '/clone?wait=60', body })
  t.equal(res.json().status, 'succeeded', res.body)
  return res.json()
}

/**
 * The URL of an app that listens on a free port. Connections are cut before it closes: fetch keeps one open and opens a
 * new one after an abort, and without a request on it the server would wait for one.
 */
export async function listen(t: Test, { app }: Pick<TestApp, 'app'>): Promise<string> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => {
    app.server.closeAllConnections()
  })
  return url
}
