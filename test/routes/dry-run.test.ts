import { test } from 'tap'
import { countTokens } from '../../src/tokens/o200k.ts'
import { startModelServer } from '../fakes/model-server.ts'
import { buildApp } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

const SECRET = `ghp_${'a1B2'.repeat(9)}`
const BODY = { stacktrace: `token ${SECRET}\n${SHOP_TRACE}`, project_name: 'shop', dry_run: true }

test('dry_run says what a model would be sent, without any model', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const { app } = built

  const res = await app.inject({ method: 'POST', url: '/resolve', body: BODY })
  t.equal(res.statusCode, 200, res.body)
  const { messages, tokens, usd } = res.json()
  t.same(Object.keys(res.json()), ['messages', 'tokens', 'usd'])
  t.same(
    messages.map(({ role }: { role: string }) => role),
    ['system', 'user'],
  )
  t.match(messages[1].content, />>>/, 'the code is there')
  t.notMatch(res.body, SECRET)
  t.ok(
    Math.abs(
      tokens - messages.reduce((sum: number, { content }: { content: string }) => sum + countTokens(content), 0),
    ) < 50,
  )
  t.equal(usd, null)

  const text = await app.inject({
    method: 'POST',
    url: '/resolve?project_name=shop&dry_run=true',
    headers: { 'content-type': 'text/plain' },
    body: SHOP_TRACE,
  })
  t.match(text.json(), { messages: { length: 2 } })
  t.match(
    (
      await app.inject({
        method: 'POST',
        url: '/resolve?project_name=shop&dry_run=maybe',
        headers: { 'content-type': 'text/plain' },
        body: SHOP_TRACE,
      })
    ).json(),
    { code: 'VALIDATION_FAILED' },
  )
  t.same((await app.inject({ method: 'POST', url: '/resolve', body: { ...BODY, mode: 'context' } })).json(), {
    messages: [],
    tokens: 0,
    usd: null,
  })

  for (const headers of [{ prefer: 'respond-async' }, { accept: 'text/event-stream' }]) {
    const answer = await app.inject({ method: 'POST', url: '/resolve', headers, body: BODY })
    t.equal(answer.statusCode, 200)
    t.match(String(answer.headers['content-type']), /^application\/json/)
    t.ok(answer.json().tokens > 0)
  }
  t.same((await app.inject('/jobs?type=resolve')).json().data, [], 'no job was made')

  t.match((await app.inject({ method: 'POST', url: '/resolve', body: { ...BODY, stacktrace: '---' } })).json(), {
    code: 'NO_STACK_TRACE',
  })
  t.match(
    (
      await app.inject({ method: 'POST', url: '/resolve', body: { ...BODY, callback_url: 'https://x.example/' } })
    ).json(),
    { code: 'VALIDATION_FAILED' },
  )
  t.match((await app.inject({ method: 'POST', url: '/resolve', body: { ...BODY, dry_run: 'true' } })).json(), {
    code: 'VALIDATION_FAILED',
  })
})

test('a dry run sends nothing, neither to the model nor to the one for embeddings, and knows the price', async t => {
  await using model = await startModelServer({ chat: [{ text: 'a real answer' }] })
  const built = await buildApp(t, {
    env: {
      LLM_BASE_URL: model.baseUrl,
      LLM_MODEL: 'scripted',
      EMBEDDING_MODEL: 'embed',
      MODEL_PRICES: '{"scripted": {"input": 1000000, "output": 1}}',
    },
  })
  await cloneShop(t, built)
  const before = model.requests.length
  t.ok(before > 0, 'the index was embedded')

  const dry = (await built.app.inject({ method: 'POST', url: '/resolve', body: BODY })).json()
  t.equal(dry.usd, dry.tokens)
  t.equal(model.requests.length, before)

  const real = await built.app.inject({ method: 'POST', url: '/resolve', body: { ...BODY, dry_run: false } })
  t.match(real.json(), { answer_status: 'ok' })
  t.ok(model.requests.length > before)
  const job = await built.app.inject({
    method: 'POST',
    url: '/resolve?wait=30',
    headers: { prefer: 'respond-async' },
    body: { ...BODY, dry_run: false },
  })
  t.match(String(job.headers['content-type']), /^application\/json/)
  const retried = await built.app.inject({
    method: 'POST',
    url: `/jobs/${job.json().id}/retry`,
    body: { dry_run: true },
  })
  t.match(retried.json(), { code: 'VALIDATION_FAILED', detail: 'A dry run makes no job.' })
})
