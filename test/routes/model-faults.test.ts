import { join } from 'node:path'
import { test } from 'tap'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

const GOOD = { text: 'The list is empty.' }

test('a model that misbehaves costs the answer at most, and each case ends as documented', async t => {
  await using model = await startModelServer()
  const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', LLM_TIMEOUT_S: '5' } })
  await cloneInto(t, built, { url: createShop(join(built.reposDir, 'shop.git')).dir })

  const cases: Array<[name: string, replies: Reply[], expected: object, requests: number]> = [
    ['a good answer', [GOOD], { answer_status: 'ok', answer: { text: GOOD.text } }, 1],
    ['429, then good', [{ status: 429, headers: { 'retry-after': '0' } }, GOOD], { answer_status: 'ok' }, 2],
    ['500, then good', [{ status: 500 }, GOOD], { answer_status: 'ok' }, 2],
    ['500 for ever', [{ status: 500 }, { status: 500 }, { status: 500 }], { answer_status: 'failed', answer_error: { code: 'LLM_UNAVAILABLE' } }, 3],
    ['malformed JSON, then good', [{ malformed: 'json' }, GOOD], { answer_status: 'ok' }, 2],
    ['a page of HTML, then good', [{ malformed: 'html' }, GOOD], { answer_status: 'ok' }, 2],
    ['an error inside a 200, then good', [{ errorIn200: true }, GOOD], { answer_status: 'ok' }, 2],
    ['no choices, then good', [{ emptyChoices: true }, GOOD], { answer_status: 'ok' }, 2],
    ['refused', [{ status: 400, body: { error: { message: 'too long' } } }], { answer_status: 'failed', answer_error: { code: 'LLM_REJECTED', message: /too long/ } }, 1],
    ['silence until the limit', [{ hang: true }], { answer_status: 'failed', answer_error: { code: 'LLM_UNAVAILABLE' } }, 1],
  ]
  for (const [name, replies, expected, requests] of cases) {
    const before = model.requests.length
    model.push(...replies)
    const res = await built.app.inject({ method: 'POST', url: '/resolve', body: { stacktrace: SHOP_TRACE, project_name: 'shop' } })
    t.equal(res.statusCode, 200, name)
    t.match(res.json(), { ...expected, frames: { length: 2 }, context: />>>/ }, name)
    t.equal(model.requests.length - before, requests, `${name}: requests sent`)
  }
  t.same(built.logged, [])
})

test('a stream that is cut begins again, and the client is told to drop what it had', async t => {
  await using model = await startModelServer({ chat: [{ text: 'one two three four', cutAfter: 2 }, GOOD] })
  const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } })
  await cloneInto(t, built, { url: createShop(join(built.reposDir, 'shop.git')).dir })
  const res = await built.app.inject({ method: 'POST', url: '/resolve', headers: { accept: 'text/event-stream' }, body: { stacktrace: SHOP_TRACE, project_name: 'shop' } })
  const kinds = [...res.body.matchAll(/^event: (.*)$/gm)].map(match => match[1])
  const restart = kinds.indexOf('restart')
  t.ok(restart > 0, kinds.join(' '))
  t.match(res.body, /"text":"The list is empty\."/)
  t.equal(kinds.at(-1), 'done')
})
