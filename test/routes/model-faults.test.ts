import { inspect } from 'node:util'
import { test } from 'tap'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { buildApp } from '../helpers/build-app.ts'
import { cloneShop, resolveShop } from '../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

const GOOD = { text: 'The list is empty.' }

test('a model that misbehaves costs the answer at most, and each case ends as documented', async t => {
  await using model = await startModelServer()
  const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', LLM_TIMEOUT_S: '5' } })
  await cloneShop(t, built)

  const cases: Array<[name: string, replies: Reply[], expected: object, requests: number]> = [
    ['a good answer', [GOOD], { answer_status: 'ok', answer: { text: GOOD.text } }, 1],
    ['429, then good', [{ status: 429, headers: { 'retry-after': '0' } }, GOOD], { answer_status: 'ok' }, 2],
    ['500, then good', [{ status: 500 }, GOOD], { answer_status: 'ok' }, 2],
    [
      '500 for ever',
      [{ status: 500 }, { status: 500 }, { status: 500 }],
      { answer_status: 'failed', answer_error: { code: 'LLM_UNAVAILABLE' } },
      3,
    ],
    ['malformed JSON, then good', [{ malformed: 'json' }, GOOD], { answer_status: 'ok' }, 2],
    ['a page of HTML, then good', [{ malformed: 'html' }, GOOD], { answer_status: 'ok' }, 2],
    ['an error inside a 200, then good', [{ errorIn200: true }, GOOD], { answer_status: 'ok' }, 2],
    ['no choices, then good', [{ emptyChoices: true }, GOOD], { answer_status: 'ok' }, 2],
    [
      'refused',
      [{ status: 400, body: { error: { message: 'too long' } } }],
      { answer_status: 'failed', answer_error: { code: 'LLM_REJECTED', message: /too long/ } },
      1,
    ],
    [
      'silence until the limit',
      [{ hang: true }],
      { answer_status: 'failed', answer_error: { code: 'LLM_UNAVAILABLE' } },
      1,
    ],
  ]
  for (const [at, [name, replies, expected, requests]] of cases.entries()) {
    const before = model.requests.length
    model.push(...replies)
    const res = await resolveShop(built, {}, { max_context_tokens: 10_000 + at })
    t.equal(res.statusCode, 200, name)
    t.match(res.json(), { ...expected, frames: { length: 2 }, context: />>>/ }, name)
    t.equal(model.requests.length - before, requests, `${name}: requests sent`)
  }
  t.same(built.logged, [])
})

test('a stream that is cut begins again, and the client is told to drop what it had', async t => {
  await using model = await startModelServer({ chat: [{ text: 'one two three four', cutAfter: 2 }, GOOD] })
  const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } })
  await cloneShop(t, built)
  const res = await resolveShop(built, { accept: 'text/event-stream' })
  const kinds = [...res.body.matchAll(/^event: (.*)$/gm)].map(match => match[1])
  const restart = kinds.indexOf('restart')
  t.ok(restart > 0, kinds.join(' '))
  t.match(res.body, /"text":"The list is empty\."/)
  t.equal(kinds.at(-1), 'done')
})

test(
  'the key, a header and a secret in the base URL are in no answer, event, transcript or log, whatever the ' +
    'server repeats',
  async t => {
    const secrets = ['chat-key-0123456789', 'header-secret-0123', 'query-secret-0123']
    const echo = { message: `no, not with ${secrets.join(' or ')}`, code: 'denied' }
    await using model = await startModelServer()
    const built = await buildApp(t, {
      env: {
        LLM_BASE_URL: `${model.baseUrl}?key=${secrets[2]}`,
        LLM_API_KEY: secrets[0],
        LLM_HEADERS: JSON.stringify({ 'x-gateway': secrets[1] }),
        LLM_MODEL: 'scripted',
        LLM_TIMEOUT_S: '5',
      },
      definitions: ({ model: { askModel } }) => ({
        generate: {
          projectName: () => null,
          exclusiveKey: () => null,
          run: context => askModel(context, { name: 'ask', messages: [{ role: 'user', content: 'Why?' }] }),
        },
      }),
    })
    await cloneShop(t, built)
    const {
      app,
      services: { jobs },
    } = built
    const faults: Reply[] = [
      { status: 401, body: { error: echo } },
      { errorIn200: { ...echo, code: 403 } },
      { status: 200, body: `data: ${echo.message}`, headers: { 'content-type': 'text/event-stream' } },
    ]
    const seen: string[] = []
    for (const fault of faults) {
      model.push(fault, fault, fault)
      seen.push((await resolveShop({ app })).body)
      model.push(...Array.from({ length: 9 }, () => fault))
      for (const { id } of [
        (
          await app.inject({
            method: 'POST',
            url: '/resolve?wait=30',
            headers: { prefer: 'respond-async' },
            body: { stacktrace: SHOP_TRACE, project_name: 'shop' },
          })
        ).json(),
        (await jobs.create('generate', {})).job,
      ]) {
        await jobs.settled(id, 30_000)
        for (const part of ['', '/events', '/transcript']) seen.push((await app.inject(`/jobs/${id}${part}`)).body)
      }
    }
    seen.push(
      (await app.inject('/ready')).body,
      (await app.inject('/metrics')).body,
      inspect(built.logged, { depth: 20 }),
    )
    t.match(model.requests[0], {
      path: `/v1/chat/completions?key=${secrets[2]}`,
      headers: { authorization: `Bearer ${secrets[0]}`, 'x-gateway': secrets[1] },
    })
    for (const secret of secrets) t.notMatch(seen.join('\n'), secret)
    t.match(seen.join('\n'), /no, not with \[redacted:api-key\]/, 'what the server said is told')
  },
)
