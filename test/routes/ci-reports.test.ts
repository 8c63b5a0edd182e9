import { test } from 'tap'
import { startModelServer } from '../fakes/model-server.ts'
import { buildApp, type TestApp } from '../helpers/build-app.ts'
import { CLEAN_LOG, FOREIGN_TRACE, SHOP_LOG } from '../helpers/ci-logs.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'

/** Posts a log as a script does: as it is, with the options in the query. */
const post = ({ app }: TestApp, accept: string, body = SHOP_LOG, query = '') =>
  app.inject({
    method: 'POST',
    url: `/resolve?project_name=shop${query}`,
    headers: { accept, 'content-type': 'text/plain' },
    body,
  })

const GITHUB = 'text/vnd.faultline.github'

test('a log is answered as a CI system reads it, by Accept, with every fault', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  for (const [accept, body] of [
    [GITHUB, /^::error file=src\/shop\/prices\.py,line=6,[^]*\n::error file=src\/shop\/prices\.py,line=5,/],
    ['text/vnd.faultline.comment', /^<!-- faultline shop -->\n\n## `ZeroDivisionError`[^]*## `KeyError`/],
    ['application/sarif+json', /"version": "2\.1\.0"[^]*KeyError/],
    ['application/vnd.faultline.gitlab+json', /^\[[^]*"check_name": "KeyError"/],
  ] as const) {
    const res = await post(built, accept)
    t.equal(res.statusCode, 200, res.body)
    t.equal(res.headers['content-type'], `${accept}; charset=utf-8`)
    t.match(res.body, body)
    t.equal(res.headers['faultline-fault'], 'project')
    t.match(res.headers['faultline-resolutions'], /^(?:res_[0-9a-f]{24},){2}res_[0-9a-f]{24}$/)
    t.equal(res.headers.vary, 'accept')
  }
  t.match((await post(built, '*/*')).headers['content-type'], 'application/json', 'only where it is asked for by name')
  t.match((await post(built, 'text/*')).headers['content-type'], 'text/plain')
})

test('its headers say whether code of the project was at fault', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  t.match((await post(built, GITHUB, FOREIGN_TRACE)).headers, { 'faultline-fault': 'elsewhere' })
  const clean = await post(built, GITHUB, CLEAN_LOG)
  t.match(clean.headers, { 'faultline-fault': 'none', 'faultline-resolutions': '' })
  t.match(clean.body, /^::notice title=Faultline::Faultline found no error/)
  t.match(await post(built, GITHUB, '---\n'), { statusCode: 200, body: /^::notice/ })
})

test('a ref that nobody has costs only the exact lines; what else is wrong is refused as ever', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  t.match((await post(built, GITHUB, SHOP_LOG, `&ref=${'f'.repeat(40)}`)).body, /The code is read as it was indexed/)
  t.match(await post(built, GITHUB, SHOP_LOG, '&max_context_tokens=5'), { statusCode: 400 })
  const res = await built.app.inject({
    method: 'POST',
    url: '/resolve?project_name=none',
    headers: { accept: GITHUB, 'content-type': 'text/plain' },
    body: SHOP_LOG,
  })
  t.match(res.json(), { code: 'PROJECT_NOT_FOUND' })
})

test('the same log in another format is explained by what the model said before', async t => {
  const model = await startModelServer()
  t.teardown(model.close)
  const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } })
  await cloneShop(t, built)
  for (let at = 0; at < 3; at++) model.push({ text: `## Explanation\n\nAnswer ${at}.\n\n## Fix\n\nNone.` })
  const comment = await post(built, 'text/vnd.faultline.comment')
  t.match(comment.body, /Answer 0\.[^]*Answer 1\.[^]*Answer 2\./)
  const github = await post(built, GITHUB)
  t.match(github.body, /Answer 0\./)
  t.match(github.body, /Answer 2\./)
  t.equal(github.body.match(/^::error/gm)?.length, 2, 'what is kept knows its faults apart')
  t.equal(model.requests.length, 3)
  t.equal(github.headers['faultline-resolutions'], comment.headers['faultline-resolutions'])
})
