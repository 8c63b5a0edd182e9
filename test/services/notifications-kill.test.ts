import { fileURLToPath } from 'node:url'
import { randomUUID } from 'node:crypto'
import { t as file, test } from 'tap'
import { startCallbackReceiver } from '../fakes/callback-receiver.ts'
import { startTelegram } from '../fakes/telegram.ts'
import { eventually } from '../helpers/processes.ts'
import { startServerProcess, type ServerProcess } from '../helpers/server-process.ts'
import { testFolder } from '../helpers/test-folder.ts'

file.setTimeout(120_000)

const JOB_SERVER = fileURLToPath(new URL('../helpers/job-server.ts', import.meta.url))
const SECRETS = {
  WEBHOOK_SECRETS: `ci=whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  ALLOW_PRIVATE_HOSTS: 'true',
  SANDBOX: 'none',
}

async function create({ url }: ServerProcess, input: object): Promise<string> {
  const res = await fetch(`${url}/test-jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ type: 'generate', input }),
  })
  return ((await res.json()) as { id: string }).id
}

test('kill -9 between storing that a job waits and telling it loses nothing and tells nothing else', async t => {
  const root = testFolder(t)
  const telegram = await startTelegram(t)
  const env = { ...SECRETS, ...telegram.env }
  await using receiver = await startCallbackReceiver(() => {}) // never answers
  telegram.refuse('sendMessage', { status: 500 }, { status: 500 }, { status: 429, parameters: { retry_after: 600 } })

  const first = await startServerProcess(root, env, JOB_SERVER)
  const id = await create(first, { notify: ['waiting'], callback_url: receiver.url })
  const told = await receiver.waitFor(1)
  t.ok(await eventually(() => telegram.calls.filter(({ method }) => method === 'sendMessage').length === 3))
  await first.end('SIGKILL')
  t.same(telegram.messages, [])

  const second = await startServerProcess(root, env, JOB_SERVER)
  const again = await receiver.waitFor(2)
  t.equal(again.headers['webhook-id'], told.headers['webhook-id'])
  t.match(JSON.parse(again.body.toString()), { id, status: 'waiting', request: { kind: 'clarification' } })
  t.match((await telegram.message(1)).text, `faultline jobs reply ${id}`)
  const later = await create(second, { notify: ['waiting'], callback_url: receiver.url })
  t.match(JSON.parse((await receiver.waitFor(3)).body.toString()), { id: later })
  await create(second, { notify: ['waiting'] })
  await telegram.message(3) // so that the server has noted that it sent the ones before
  await second.end('SIGKILL')

  const third = await startServerProcess(root, env, JOB_SERVER)
  const last = await create(third, { notify: ['waiting'], callback_url: receiver.url })
  t.ok(await eventually(() => telegram.messages.some(({ text }) => text.includes(last))))
  t.ok(await eventually(() => receiver.received.some(({ body }) => body.includes(last))))
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  t.equal(new Set(ids).size, 3, 'whatever comes again has the id that it had')
  const messagesOf = (job: string) => telegram.messages.filter(({ text }) => text.includes(job)).length
  t.same([id, later, last].map(messagesOf), [1, 1, 1], 'what was told is not told again')
  t.same(telegram.violations, [])
  await third.end('SIGTERM')
})
