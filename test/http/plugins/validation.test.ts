import { test } from 'tap'
import { buildApp } from '../../helpers/build-app.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const BODYLESS = [
  ['POST', '/jobs/nope/cancel'],
  ['POST', '/jobs/nope/retry'],
  ['DELETE', '/jobs/nope'],
  ['DELETE', '/projects/nope'],
] as const

test('a route without a body takes an empty one, as clients send that always name a content type', async t => {
  const { app } = await buildApp(t)
  for (const [method, url] of BODYLESS) {
    for (const payload of ['', '{}', 'null']) {
      t.equal(
        (await app.inject({ method, url, headers: JSON_TYPE, payload })).statusCode,
        404,
        `${method} ${url} ${payload}`,
      )
    }
  }
})

test('a route without a body refuses one, by the names of its fields', async t => {
  const { app } = await buildApp(t)
  for (const [method, url] of BODYLESS.filter(([, url]) => !url.endsWith('/retry'))) {
    const res = await app.inject({ method, url, headers: JSON_TYPE, payload: '{"force": true}' })
    t.match(
      res.json(),
      { status: 400, code: 'VALIDATION_FAILED', errors: [{ path: 'body/force', message: 'is not a known field' }] },
      `${method} ${url}`,
    )
    for (const payload of ['[1]', '"x"', '5', 'false']) {
      t.match(
        (await app.inject({ method, url, headers: JSON_TYPE, payload })).json(),
        { status: 400, code: 'VALIDATION_FAILED' },
        `${method} ${url} ${payload}`,
      )
    }
    for (const payload of ['{"__proto__": {}}', '{"constructor": {"prototype": {}}}', '{"a":']) {
      t.match(
        (await app.inject({ method, url, headers: JSON_TYPE, payload })).json(),
        { status: 400, code: 'MALFORMED_JSON' },
        payload,
      )
    }
  }
})

test('a route with a body says clearly that an empty one is none', async t => {
  const { app } = await buildApp(t)
  for (const url of ['/clone', '/resolve']) {
    const res = await app.inject({ method: 'POST', url, headers: JSON_TYPE, payload: '' })
    t.match(
      res.json(),
      { status: 400, code: 'VALIDATION_FAILED', errors: [{ path: 'body', message: 'is required' }] },
      url,
    )
  }
})

test('a number in a query is written in digits', async t => {
  const { app } = await buildApp(t)
  for (const limit of ['1.5', '0x10', '1e1', '+5', ' 5', '5 ', '', '1_0', 'Infinity', '١']) {
    for (const url of ['/projects', '/jobs']) {
      t.match(
        (await app.inject({ url, query: { limit } })).json(),
        { status: 400, code: 'VALIDATION_FAILED', errors: [{ path: 'querystring/limit' }] },
        `${url}?limit=${limit}`,
      )
    }
  }
  t.equal((await app.inject('/projects?limit=5')).statusCode, 200)
})
