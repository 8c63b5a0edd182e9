import type { FastifyRequest } from 'fastify'
import { test } from 'tap'
import { isOpen, needOf } from '../../src/http/route-access.ts'

test('a route needs what its method and pattern say, a HEAD what a GET does', async t => {
  for (const [method, url, need] of [
    ['GET', '/health', 'open'],
    ['HEAD', '/health', 'open'],
    ['POST', '/webhooks/ci', 'open'],
    ['GET', '/jobs/:id', 'read'],
    ['HEAD', '/jobs/:id', 'read'],
    ['DELETE', '/jobs/:id', 'write'],
    ['POST', '/fix', 'pipeline'],
    ['GET', '/docs', 'open'],
    ['GET', '/docs/static/*', 'open'],
    ['POST', '/docs/more', 'open'],
    ['GET', '/docsmore', null],
    ['POST', '/health', null],
    ['GET', '/undeclared', null],
    ['get', '/jobs', null],
  ] as const) {
    t.equal(needOf(method, url), need, `${method} ${url}`)
  }
})

test('no key is needed on open routes, and below them on paths that no route has', async t => {
  const open = (is404: boolean, url: string, pattern?: string) =>
    isOpen({ is404, method: 'GET', url, routeOptions: { url: pattern } } as FastifyRequest)
  for (const url of ['/health', '/ready', '/docs', '/docs/nothing', '/webhooks/nothing', '/docs/x?a=/jobs']) {
    t.equal(open(true, url), true, url)
  }
  for (const url of ['/nothing', '/healthy', '/health/more', '/webhooks', '/jobs/docs/x', '/jobs?x=/docs/x', '']) {
    t.equal(open(true, url), false, url)
  }
  t.equal(open(false, '/health?x', '/health'), true)
  t.equal(open(false, '/jobs/1', '/jobs/:id'), false)
  t.equal(open(false, '/docs/x', '/jobs/:id'), false, 'the route decides where there is one')
  t.equal(open(false, '/jobs/1', undefined), false)
})
