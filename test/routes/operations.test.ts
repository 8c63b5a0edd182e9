import { join } from 'node:path'
import { test } from 'tap'
import { readOwner } from '../../src/jobs/lock-owner.ts'
import { proofOf } from '../../src/jobs/lock.ts'
import { buildApp } from '../helpers/build-app.ts'
import { LARGE_SEARCH } from '../helpers/hnsw.ts'

test('/ready says what works, and 200 also where nothing does', async t => {
  const { app, services } = await buildApp(t)
  t.match((await app.inject('/ready')).json(), {
    ready: true,
    git: { available: true },
    disk: 'ok',
    search: LARGE_SEARCH,
  })
  const nothing = await services.ready()
  services.ready = async () => ({
    ...nothing,
    ready: false,
    git: { available: false, version: null, warning: 'git has not answered within 1500 ms.' },
    sandbox: { available: false, reason: 'No.', fix: 'Yes.', memory_limit: null },
  })
  const res = await app.inject('/ready')
  t.equal(res.statusCode, 200)
  t.match(res.json(), { ready: false, git: { available: false, warning: /has not answered/ } })
})

test('a key of a provider alone calls no model, and /ready says what to set', async t => {
  const { app } = await buildApp(t, { env: { ANTHROPIC_API_KEY: 'a-key-that-lies-around' } })
  const { llm } = (await app.inject('/ready')).json()
  t.match(llm, { configured: false, model: null, reason: /^ANTHROPIC_API_KEY is set/, fix: 'Set LLM_MODEL.' })
  const body = { prompt: 'anything' }
  t.match((await app.inject({ method: 'POST', url: '/generate', body })).json(), { code: 'LLM_NOT_CONFIGURED' })
})

test('/health proves whose data folders the server holds to whoever knows their secret', async t => {
  const { app, services, root } = await buildApp(t, { env: { API_KEYS: `me:${'k'.repeat(24)}` } })
  services.announce('http://127.0.0.1:1')
  const { secret } = readOwner(join(root, 'data')) ?? { secret: '' }
  const challenge = '0123456789abcdef'.repeat(2)
  t.strictSame((await app.inject(`/health?challenge=${challenge}`)).json(), {
    status: 'ok',
    proof: proofOf(secret, challenge),
  })
  t.strictSame((await app.inject('/health')).json(), { status: 'ok' })
  t.equal((await app.inject('/health?challenge=short')).statusCode, 400)
})
