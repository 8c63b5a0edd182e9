import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import {
  embeddingCheck,
  folderCheck,
  gitCheck,
  modelCheck,
  nodeCheck,
  onlineModelCheck,
  sandboxCheck,
  storeChecks,
} from '../../src/cli/doctor-checks.ts'
import { startModelServer } from '../fakes/model-server.ts'

const llm = (baseUrl: string, apiKey = '') => {
  const { llm: configured } = loadConfig({
    root: '/nonexistent',
    env: { LLM_BASE_URL: baseUrl, LLM_MODEL: 'm', LLM_API_KEY: apiKey },
  })
  if (configured === null) throw new Error('not configured')
  return configured
}
const never = new AbortController().signal

test('what nothing works without is missing, what only some things need is a warning', async t => {
  t.match(nodeCheck('24.15.0'), { status: 'ok' })
  t.match(nodeCheck('20.20.2'), { status: 'missing', necessary: true, fix: /Node 24/ })
  t.match(gitCheck({ available: false, version: null, warning: null }), {
    status: 'missing',
    necessary: true,
    fix: /apt-get install git/,
  })
  t.match(gitCheck({ available: true, version: '2.39.5', warning: 'is old' }), {
    status: 'warn',
    necessary: false,
    detail: /2\.39\.5: is old/,
  })
  t.match(storeChecks({ hnsw: null, catalogue: null }), [{ status: 'ok', detail: /^hnsw/ }, { status: 'ok' }])
  t.match(storeChecks({ hnsw: 'does not load', catalogue: 'no such module: fts5' }), [
    {
      status: 'warn',
      necessary: false,
      detail: /^exact: .*does not load.*quick up to 200,000/,
      fix: /apt-get install/,
    },
    { status: 'missing', necessary: true },
  ])
  t.match(modelCheck({ configured: false, model: null }), { status: 'warn', necessary: false, fix: /LLM_BASE_URL/ })
  t.match(modelCheck({ configured: false, model: null, reason: 'OPENAI_API_KEY is set, but', fix: 'Set LLM_MODEL.' }), {
    status: 'warn',
    detail: /^OPENAI_API_KEY is set, but.*: frames and code, but no explanations$/,
    fix: 'Set LLM_MODEL.',
  })
  t.match(sandboxCheck({ available: true, reason: null, fix: null, memory_limit: 'watched' }), {
    status: 'ok',
    detail: 'programs can be run',
  })
  t.match(sandboxCheck({ available: true, reason: null, fix: null, memory_limit: 'kernel' }), { detail: /kernel/ })
  t.match(
    sandboxCheck({ available: false, reason: 'No bubblewrap.', fix: 'apt-get install bubblewrap', memory_limit: null }),
    {
      status: 'warn',
      necessary: false,
      detail: /^No bubblewrap\. Nothing will be executed/,
      fix: 'apt-get install bubblewrap',
    },
  )
  t.match(embeddingCheck({ provider: 'local', model: 'x' }), { status: 'ok', detail: /no code leaves/ })
})

test('a model server is asked for its models, which needs no model', async t => {
  const model = await startModelServer()
  t.teardown(model.close)
  t.match(await onlineModelCheck(llm(model.baseUrl, 'k'), never), { status: 'ok', fix: null })
  t.match(model.requests, [{ method: 'GET', path: '/v1/models', headers: { authorization: 'Bearer k' } }])

  const strict = createServer((_request, response) => {
    response.writeHead(401).end()
  }).listen(0, '127.0.0.1')
  await once(strict, 'listening')
  const { port } = strict.address() as AddressInfo
  t.match(await onlineModelCheck(llm(`http://127.0.0.1:${port}/v1`), never), { status: 'warn', fix: /LLM_API_KEY/ })
  strict.closeAllConnections()
  strict.close()
  await once(strict, 'close')
  t.match(await onlineModelCheck(llm(`http://127.0.0.1:${port}/v1`), never), { status: 'warn', detail: /ECONNREFUSED/ })
})

test('a data folder that will be made is judged by its parent', async t => {
  const folder = t.testdir({ file: '' })
  t.match(await folderCheck('DATA_DIR', join(folder, 'not', 'yet'), 1), {
    status: /ok|warn/,
    detail: / free/,
    name: 'folder DATA_DIR',
  })
  t.match(await folderCheck('DATA_DIR', '/proc/nothing', 1), { status: 'missing', necessary: true, fix: /DATA_DIR/ })
})
