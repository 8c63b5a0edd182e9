import { randomUUID } from 'node:crypto'
import { t as file, test, type Test } from 'tap'
import { startCallbackReceiver } from '../../fakes/callback-receiver.ts'
import { startTelegram } from '../../fakes/telegram.ts'
import { FEATURE_FILES, planned, REQUEST, written } from '../../helpers/feature-project.ts'
import { buildForgeProject } from '../../helpers/forge-project.ts'
import { eventually } from '../../helpers/processes.ts'
import { inJail } from '../../helpers/sandbox.ts'

file.setTimeout(240_000)

const SECRETS = { WEBHOOK_SECRETS: `ci=whsec_${Buffer.alloc(32, 7).toString('base64')}` }
const FILE = FEATURE_FILES['.faultline.toml'] as string
const BODY = { request: REQUEST, project_name: 'shop', push: true }

async function build(t: Test, env: Record<string, string>, toml = FILE) {
  const files = { ...FEATURE_FILES, '.faultline.toml': toml }
  const project = await buildForgeProject(t, files, [planned(), ...written()], { env: { ...SECRETS, ...env } })
  const post = async (body: object): Promise<string> =>
    (await project.app.inject({ method: 'POST', url: '/features', body: { ...BODY, ...body } })).json().id
  const job = async (id: string) => (await project.app.inject(`/jobs/${id}`)).json()
  const reached = (id: string, status: string) => eventually(async () => (await job(id)).status === status)
  return { ...project, post, job, reached }
}

test('Deploy in the chat deploys a feature; the project says that it notifies', inJail, async t => {
  const telegram = await startTelegram(t)
  await using receiver = await startCallbackReceiver(res => res.writeHead(200).end('deployed 42'))
  const project = await build(t, telegram.env)
  const settings = { deploy_url: receiver.url, notify: ['waiting', 'done'] }
  await project.app.inject({ method: 'PATCH', url: '/projects/shop', body: settings })
  const id = await project.post({})
  const { text, buttons } = await telegram.message(1)
  t.match(text, /The feature job of shop is ready/)
  t.match(text, /Branch: feat\/add-characters-v1\nRequest: http\S+\nChecks: migrate passed, typecheck passed/)
  telegram.press(buttons[0]?.callback_data ?? '')
  t.ok(await project.reached(id, 'succeeded'))
  t.match((await project.job(id)).result, { outcome: 'deployed', deployment: { by: 'url', output: 'deployed 42' } })
  t.match((await telegram.message(2)).text, /succeeded\.\nOutcome: deployed\nBranch: feat\/add-characters-v1/)
  t.same(telegram.violations, [])
})

test('Abort in the chat aborts a feature; its own file says that it notifies, and a body wins', inJail, async t => {
  const telegram = await startTelegram(t)
  await using receiver = await startCallbackReceiver()
  const project = await build(t, telegram.env, `notify = ["waiting"]\n${FILE}`)
  await project.app.inject({ method: 'PATCH', url: '/projects/shop', body: { callback_url: receiver.url } })
  const id = await project.post({})
  const { body } = await receiver.waitFor(1)
  t.match(JSON.parse(body.toString()), { event: 'job.waiting', id, type: 'feature', request: { merge: false } })
  telegram.press((await telegram.message(1)).buttons[1]?.callback_data ?? '')
  t.ok(await project.reached(id, 'succeeded'))
  t.match((await project.job(id)).result, { outcome: 'aborted' })
  t.match(project.repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads'), /^main$/)
  t.match(JSON.parse((await receiver.waitFor(2)).body.toString()), { id, status: 'succeeded' })
  const { data } = (await project.app.inject(`/jobs/${id}/transcript`)).json()
  t.match(data[0], { kind: 'created', body: { notify: ['waiting'] } })

  const silent = await project.post({ notify: [] })
  t.ok(await eventually(async () => !['queued', 'running'].includes((await project.job(silent)).status)))
  const { data: created } = (await project.app.inject(`/jobs/${silent}/transcript`)).json()
  t.match(created[0], { kind: 'created', body: { notify: [] } })
  t.equal(telegram.messages.length, 1)
  t.same(telegram.violations, [])
})

test('every request that makes a job takes notify, and nothing else for it', async t => {
  const { app } = await build(t, {})
  const { paths } = (await app.inject('/docs/json')).json()
  const withUrl = Object.entries<{ post?: object }>(paths).filter(([, { post }]) =>
    JSON.stringify(post ?? {}).includes('"callback_url"'),
  )
  t.ok(withUrl.length >= 9, String(withUrl.length))
  for (const [path, { post }] of withUrl) t.match(JSON.stringify(post), /"notify"/, path)
  for (const notify of [['ended'], ['done', 'done'], 'done']) {
    t.match((await app.inject({ method: 'POST', url: '/features', body: { ...BODY, notify } })).statusCode, 400)
  }
  const upload = await app.inject({ method: 'POST', url: '/projects/other/upload?notify=ended', body: 'x' })
  t.equal(upload.statusCode, 400)
  const trace = { method: 'POST', headers: { 'content-type': 'text/plain', prefer: 'respond-async' } } as const
  const query = 'project_name=shop&mode=context&notify=waiting,done'
  const made = await app.inject({ ...trace, url: `/resolve?${query}`, body: `Error: ${randomUUID()}` })
  t.equal(made.statusCode, 202, made.body)
  const { data } = (await app.inject(`/jobs/${made.json().id}/transcript`)).json()
  t.match(data[0].body, { notify: ['waiting', 'done'] })
  const now = await app.inject({ method: 'POST', url: '/resolve', body: { ...BODY, notify: ['done'] } })
  t.equal(now.statusCode, 400)
})
