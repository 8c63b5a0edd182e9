import { test, type Test } from 'tap'
import { signWebhook } from '../../src/core/webhook.ts'
import { buildApp } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

const KEY = Buffer.from('0123456789abcdef')
const ENV = { WEBHOOK_SECRETS: `ci=whsec_${KEY.toString('base64')}` }

/** What every run of one CI job prints, however it ends. */
const RUN = ['$ make test', 'collecting', ...Array.from({ length: 12 }, (_, at) => `test ${'abcdefghijkl'[at]} PASSED`)]
const FAILED = [...RUN, SHOP_TRACE, ''].join('\n')
const PASSED = [...RUN, 'all tests passed', ''].join('\n')

async function shopWithCi(t: Test) {
  const { app, services, ...built } = await buildApp(t, { env: ENV })
  const shop = await cloneShop(t, { ...built, app })
  const base = shop.git('rev-parse', 'main')
  let deliveries = 0
  async function post(body: object) {
    const payload = JSON.stringify({ project_name: 'shop', ...body })
    const headers = signWebhook({ id: `d${deliveries++}`, body: payload, keys: [KEY], now: new Date() })
    return app.inject({
      method: 'POST',
      url: '/webhooks/ci',
      payload,
      headers: { 'content-type': 'application/json', ...headers },
    })
  }
  /** The resolutions of a run. */
  async function run(body: object) {
    const res = await post(body)
    t.equal(res.statusCode, 202, res.body)
    const job = await services.jobs.settled(res.json().id, 60_000)
    t.equal(job.status, 'succeeded', JSON.stringify(job.error))
    return (await app.inject(`/jobs/${job.id}`)).json().result
  }
  /** A commit on top of main that changes a file, and its id. */
  function change(files: Record<string, string>): string {
    shop.commit(files)
    return shop.git('rev-parse', 'main')
  }
  return { app, services, shop, base, post, run, change }
}

const NEW_PRICES =
  '"""Prices are whole cents."""\n\n\ndef average(items):\n    total = sum(items)\n    return total / len(items)\n'
const README = { 'README.md': '# Shop\n\nAnother text.\n' }

test('a fault whose frame is on a line that changed since the base is introduced', async t => {
  const { app, base, run, change } = await shopWithCi(t)
  const [old, fresh] = ['return total / len(items)', 'return total / len(list(items))']
  const commit = change({ 'src/shop/prices.py': NEW_PRICES.replace(old, fresh) })
  const [found] = await run({ log: FAILED.replace(old, fresh), commit, base, pull_request: 7 })
  t.match(found, {
    commit,
    origin: 'introduced',
    origin_why: `Its frame at src/shop/prices.py:6 is on a line changed since ${base.slice(0, 12)}.`,
  })
  t.match((await app.inject(`/resolutions/${found.id}`)).json(), { origin: 'introduced' }, 'it is kept')
})

test('a fault that the run of its base did not have is introduced', async t => {
  const { base, run, change } = await shopWithCi(t)
  const commit = change(README)
  await run({ log: PASSED, commit: base })
  t.match(await run({ log: FAILED, commit, base }), [
    { origin: 'introduced', origin_why: new RegExp(`^The run of its base ${base.slice(0, 12)} at .* did not have it`) },
  ])
})

test('a fault that a run before the change had is existing', async t => {
  const { base, run, change } = await shopWithCi(t)
  const before = await run({ log: FAILED, commit: base })
  t.match(before, [{ origin: 'unknown', origin_why: /^The base was not given/ }])
  const commit = change(README)
  t.match(await run({ log: FAILED, commit, base }), [
    { origin: 'existing', origin_why: new RegExp(`^The run of commit ${base.slice(0, 12)} at .*, before the change`) },
  ])
})

test('a fault that somebody asked about before the change is existing', async t => {
  const { app, base, run, change } = await shopWithCi(t)
  const asked = (
    await app.inject({ method: 'POST', url: '/resolve', body: { project_name: 'shop', stacktrace: SHOP_TRACE } })
  ).json()
  const commit = change(README)
  t.match(await run({ log: FAILED, commit, base }), [{ origin: 'existing', origin_why: new RegExp(asked.id) }])
})

test('a fault that another run of the same commit did not have is flaky', async t => {
  const { base, run, change } = await shopWithCi(t)
  const commit = change(README)
  await run({ log: PASSED, commit, base })
  t.match(await run({ log: FAILED, commit, base }), [
    {
      origin: 'flaky',
      origin_why: new RegExp(`^The run of the same commit ${commit.slice(0, 12)} at .* did not have`),
    },
  ])
})

test('another job of the same commit says nothing of this one', async t => {
  const { base, run, change } = await shopWithCi(t)
  const commit = change(README)
  await run({ log: '$ make lint\nchecking style\nno problem\n', commit, base })
  t.match(await run({ log: FAILED, commit, base }), [
    { origin: 'unknown', origin_why: /^None of its frames is on a line changed since/ },
  ])
})

test('a log without a trace tells of a machine that failed', async t => {
  const { base, run } = await shopWithCi(t)
  const log = '$ npm ci\nnpm error network request to https://registry.npmjs.org/tap failed ECONNRESET\n'
  const [found] = await run({ log, commit: base, base })
  t.match(found, {
    exceptions: [],
    origin: 'infrastructure',
    origin_why: /^By the rule "registry" .*npm error network/,
  })
  t.match(await run({ log: FAILED, commit: base }), [{ origin: 'unknown' }], 'that run did not get to the fault')
})

test('a commit or a base that cannot be read leaves the origin unknown', async t => {
  const { base, run } = await shopWithCi(t)
  t.match(await run({ log: FAILED, commit: 'f'.repeat(40), base }), [
    { origin: 'unknown', origin_why: /^The commit that CI ran was not given, or cannot be read/ },
  ])
  t.match(await run({ log: FAILED, commit: base, base: '--upload-pack=x' }), [{ origin: 'unknown' }])
})

test('base and the number of a pull request are checked', async t => {
  const { post } = await shopWithCi(t)
  for (const wrong of [{ base: '' }, { base: 1 }, { pull_request: 0 }, { pull_request: '7' }, { pull_request: 1.5 }]) {
    t.match((await post({ log: 'x', ...wrong })).json(), { code: 'VALIDATION_FAILED' }, JSON.stringify(wrong))
  }
})
