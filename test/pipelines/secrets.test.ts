import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { signWebhook } from '../../src/core/webhook.ts'
import { startCallbackReceiver } from '../fakes/callback-receiver.ts'
import { buildProject } from '../helpers/project-with-model.ts'
import { PLANTED } from '../helpers/secrets.ts'

const KEY = Buffer.from('0123456789abcdef')
const SECRETS = PLANTED.flatMap(({ secrets }) => secrets)

/** All secrets, at the start of lines, in colour, within a line and behind the prefix of a log. */
const MESSAGE = [
  ...PLANTED.map(({ text }) => text),
  ...PLANTED.map(({ text }) => `\u001B[31m${text}\u001B[0m`),
  ...PLANTED.filter(({ text }) => !text.includes('\n')).map(({ text }) => `cannot use ${text} here`),
].join('\n')
const inLog = (text: string): string =>
  text
    .split('\n')
    .map(
      (line, index) =>
        `2026-11-03T10:${String(Math.floor(index / 60) + 10)}:${String((index % 60) + 100).slice(1)}Z ${line}`,
    )
    .join('\n')
const TRACE = [
  'Traceback (most recent call last):',
  '  File "/app/shop/orders.py", line 3, in place',
  '    return price(item) / 0',
  `shop.errors.ConfigError: cannot read ${MESSAGE}`,
].join('\n')
const SETTINGS = PLANTED.map(({ text }) => text.replace(/^/gm, '# ').replaceAll('# #', '#')).join('\n')
const ORDERS =
  'from shop import settings\ndef place(item):\n    return price(item) / 0\n\n\ndef price(item):\n    return item.price\n'
const DIFF = [
  ...['```diff', '--- a/shop/orders.py', '+++ b/shop/orders.py', '@@ -1,3 +1,3 @@', ' from shop import settings'],
  ...[' def place(item):', '-    return price(item) / 0', '+    return price(item)', '```'],
].join('\n')
const ANSWER = `## Cause\n\nA division by zero.\n\n## Fix\n\nNone.\n\n## Code\n\n${DIFF}\n`

function refuseSecrets(t: Test, what: string, text: string): void {
  t.same(
    SECRETS.filter(secret => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1))),
    [],
    what,
  )
}

async function built(t: Test) {
  const receiver = await startCallbackReceiver()
  t.teardown(() => receiver[Symbol.asyncDispose]())
  const project = await buildProject(
    t,
    { 'shop/orders.py': ORDERS, 'shop/settings.py': `${ORDERS}\n${SETTINGS}\n` },
    [{ text: ANSWER }, { text: ANSWER }, { text: ANSWER }, { text: ANSWER }, { text: ANSWER }, { text: ANSWER }],
    { env: { WEBHOOK_SECRETS: `ci=whsec_${KEY.toString('base64')}`, ALLOW_PRIVATE_HOSTS: 'true' } },
  )
  /** Everything that a job keeps, the database's own files included. */
  async function stored(id: string): Promise<string> {
    const parts = await Promise.all(
      ['', '/events', '/transcript', '/files'].map(async part => (await project.app.inject(`/jobs/${id}${part}`)).body),
    )
    const data = join(project.root, 'data')
    const files = readdirSync(data).filter(name => name.startsWith('jobs.sqlite'))
    return [...parts, ...files.map(name => readFileSync(join(data, name), 'latin1'))].join('\n')
  }
  return { ...project, receiver, stored, callback: receiver.url }
}

test('a resolution keeps and sends no secret of its trace and of the code that it shows', async t => {
  const { app, model, receiver, stored, callback, logged } = await built(t)
  for (const trace of [TRACE, inLog(TRACE)]) {
    const res = await app.inject({
      method: 'POST',
      url: '/resolve?wait=30',
      headers: { prefer: 'respond-async, wait=30' },
      body: { project_name: 'shop', stacktrace: `${trace}\n  shop/settings.py:3: in place`, callback_url: callback },
    })
    const { id, status } = (await app.inject(`/jobs/${res.json().id}?wait=30`)).json()
    t.equal(status, 'succeeded')
    refuseSecrets(t, 'stored', await stored(id))
  }
  await receiver.waitFor(2)
  refuseSecrets(t, 'sent to the model', JSON.stringify(model.requests))
  refuseSecrets(t, 'sent to the callback', receiver.received.map(({ body }) => body.toString()).join('\n'))
  refuseSecrets(t, 'logged', JSON.stringify(logged))
  t.match(JSON.stringify(model.requests), '[redacted:private-key]')
})

test('the log of a CI run is kept and answered without secrets', async t => {
  const { app, model, receiver, stored, callback } = await built(t)
  const payload = JSON.stringify({ project_name: 'shop', log: inLog(TRACE), callback_url: callback })
  const headers = { ...signWebhook({ id: 'one', body: payload, keys: [KEY], now: new Date() }) }
  const { id } = (
    await app.inject({
      method: 'POST',
      url: '/webhooks/ci',
      payload,
      headers: { ...headers, 'content-type': 'application/json' },
    })
  ).json()
  t.match((await app.inject(`/jobs/${id}?wait=30`)).json(), { status: 'succeeded' })
  await receiver.waitFor(1)
  refuseSecrets(t, 'stored', await stored(id))
  refuseSecrets(t, 'sent', `${JSON.stringify(model.requests)}${receiver.received[0]?.body.toString()}`)
})

test('a fix keeps and sends no secret of its trace', async t => {
  const { post, model, receiver, stored, callback } = await built(t)
  const job = (
    await post('/fix', { project_name: 'shop', stacktrace: TRACE, review: 'auto', callback_url: callback })
  ).json()
  t.equal(job.status, 'succeeded', JSON.stringify(job.error))
  await receiver.waitFor(1)
  refuseSecrets(t, 'stored', await stored(job.id))
  refuseSecrets(t, 'sent', `${JSON.stringify(model.requests)}${receiver.received[0]?.body.toString()}`)
})

test('what a program prints is told, kept and sent without secrets', async t => {
  const { post, model, receiver, stored, callback } = await built(t)
  const encoded = Buffer.from(MESSAGE).toString('base64')
  const job = (
    await post('/self-heal', {
      prompt: 'It prints what it knows.',
      files: { 'run.sh': `echo ${encoded} | base64 -d\necho ${encoded} | base64 -d >&2\nexit 1\n` },
      max_attempts: 2,
      callback_url: callback,
    })
  ).json()
  t.match(job, { status: 'succeeded', result: { healed: false } }, JSON.stringify(job.error))
  await receiver.waitFor(1)
  refuseSecrets(t, 'stored', await stored(job.id))
  refuseSecrets(t, 'sent', `${JSON.stringify(model.requests)}${receiver.received[0]?.body.toString()}`)
  t.match(job.result.attempts[0].stdout, '[redacted:private-key]')
})
