import { t as file, test, type Test } from 'tap'
import { signWebhook } from '../../src/core/webhook.ts'
import type { JobRequest } from '../../src/core/job.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { startCallbackReceiver } from '../fakes/callback-receiver.ts'
import { BOT_TOKEN, CHAT_ID, startTelegram, type FakeTelegram } from '../fakes/telegram.ts'
import { buildApp, type TestApp } from '../helpers/build-app.ts'
import { eventually } from '../helpers/processes.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { testFolder } from '../helpers/test-folder.ts'

file.setTimeout(120_000)

const KEY = Buffer.alloc(32, 7)
const WITH_CALLBACKS = { WEBHOOK_SECRETS: `ci=whsec_${KEY.toString('base64')}`, ALLOW_PRIVATE_HOSTS: 'true' }
const DELIVERY: JobRequest = {
  kind: 'approve_delivery',
  branch: 'feat/characters',
  diff: '+1',
  pullRequestUrl: 'https://forge.example.com/pr/7',
  checks: [{ check: 'test', passed: true, command: 'npm test', exitCode: 0, output: '' }],
}

/** Asks what its body says, one question after the other. */
const asking = scriptedJob(async ({ ask, input }: JobContext) => {
  const replies = []
  for (const [index, request] of (input.asks as unknown as JobRequest[]).entries()) {
    replies.push(await ask(`question-${index}`, request as never))
  }
  return { replies: replies as never }
})

interface Told extends TestApp {
  create(asks: JobRequest[], more?: object): Promise<string>
  settled(id: string): Promise<{ status: string; result: unknown }>
}

async function build(t: Test, env: Record<string, string>, root = testFolder(t)): Promise<Told> {
  const built = await buildApp(t, { root, env, definitions: { generate: asking } })
  const { jobs } = built.services
  return {
    ...built,
    create: async (asks, more = { notify: ['waiting', 'done'] }) =>
      (await jobs.create('generate', { asks: asks as never, project_name: 'shop', ...more } as never)).job.id,
    settled: id => jobs.settled(id, 20_000),
  }
}

const buttonOf = async (telegram: FakeTelegram, n: number, label: string): Promise<string> =>
  (await telegram.message(n)).buttons.find(({ text }) => text === label)?.callback_data ?? 'no such button'

const answersOf = (telegram: FakeTelegram, n: number): Promise<boolean> =>
  eventually(() => telegram.answers.length >= n)

test('a question is told once, signed, when the status is stored', async t => {
  const seen: unknown[] = []
  let look = async (): Promise<unknown> => null
  await using receiver = await startCallbackReceiver(res => {
    const answer = async (): Promise<void> => {
      seen.push(await look())
      res.writeHead(204).end()
    }
    answer().catch(t.error)
  })
  const { app, create, settled } = await build(t, WITH_CALLBACKS)
  const id = await create([DELIVERY], { notify: ['waiting'], callback_url: receiver.url })
  look = async () => (await app.inject(`/jobs/${id}`)).json()
  const { headers, body } = await receiver.waitFor(1)
  const message = JSON.parse(body.toString())
  t.match(message, { event: 'job.waiting', id, type: 'generate', project_name: 'shop', status: 'waiting' })
  t.ok(await eventually(() => seen.length === 1))
  t.match(seen[0], { status: 'waiting', request: message.request })
  t.match(message.request, { kind: 'approve_delivery', pull_request_url: 'https://forge.example.com/pr/7' })
  const webhookId = String(headers['webhook-id'])
  t.match(webhookId, new RegExp(`^waiting-${id}-\\d+$`))
  const now = new Date(Number(headers['webhook-timestamp']) * 1000)
  const signed = signWebhook({ id: webhookId, body: body.toString(), keys: [KEY], now })
  t.equal(headers['webhook-signature'], signed['webhook-signature'])
  await app.inject({ method: 'POST', url: `/jobs/${id}/reply`, body: { decision: 'approve' } })
  t.match(await settled(id), { status: 'succeeded' })
  t.equal(receiver.received.length, 1, 'nothing is told twice')
})

test('each question of a job is told, those of jobs that did not ask for it are not', async t => {
  await using receiver = await startCallbackReceiver()
  const { create, settled, services } = await build(t, WITH_CALLBACKS)
  const question: JobRequest = { kind: 'clarification', question: 'Which?' }
  const silent = await create([question], { callback_url: receiver.url })
  const done = await create([question], { callback_url: receiver.url, notify: ['done'] })
  t.match(await settled(silent), { status: 'waiting' })
  t.match(await settled(done), { status: 'waiting' })
  const id = await create([question, question], { callback_url: receiver.url, notify: ['waiting'] })
  await receiver.waitFor(1)
  await services.jobs.reply(id, { answer: 'a' }, null)
  const second = await receiver.waitFor(2)
  t.match(JSON.parse(second.body.toString()), { id, request: { kind: 'clarification' } })
  t.not(receiver.received[0]?.headers['webhook-id'], second.headers['webhook-id'])
  t.equal(receiver.received.length, 2)
})

test('a receiver that is down while the server ends is told by the next one, with the same id', async t => {
  const root = testFolder(t)
  let hang = () => {}
  await using receiver = await startCallbackReceiver(res => {
    hang = () => res.destroy()
  })
  const first = await build(t, WITH_CALLBACKS, root)
  const id = await first.create([DELIVERY], { notify: ['waiting'], callback_url: receiver.url })
  await receiver.waitFor(1)
  const closed = first.close()
  hang()
  await closed
  const second = await build(t, WITH_CALLBACKS, root)
  const again = await receiver.waitFor(2)
  t.equal(again.headers['webhook-id'], receiver.received[0]?.headers['webhook-id'])
  t.match(JSON.parse(again.body.toString()), { id, status: 'waiting' })
  await second.close()
  const third = await build(t, WITH_CALLBACKS, root)
  const later = await third.create([DELIVERY], { notify: ['waiting'], callback_url: receiver.url })
  t.match(JSON.parse((await receiver.waitFor(3)).body.toString()), { id: later }, 'what was told is not told again')
})

test('a receiver that does not want it is left alone, and the log says so without the job failing', async t => {
  await using receiver = await startCallbackReceiver(410)
  const { create, settled, logged } = await build(t, WITH_CALLBACKS)
  const id = await create([DELIVERY], { notify: ['waiting'], callback_url: receiver.url })
  t.ok(await eventually(() => logged.some(({ message }) => /was not told that the job waits.*410/.test(message))))
  t.match(await settled(id), { status: 'waiting' })
})

test('a button of the chat answers its question as a reply does, and then the buttons go', async t => {
  const telegram = await startTelegram(t)
  const { app, create, settled } = await build(t, telegram.env)
  const id = await create([DELIVERY])
  const { text, buttons } = await telegram.message(1)
  t.match(text, /generate job of shop.*approval/)
  t.match(text, /Branch: feat\/characters\nRequest: https:\/\/forge.example.com\/pr\/7\nChecks: test passed/)
  t.same(
    buttons.map(button => button.text),
    ['Deploy', 'Abort'],
  )
  telegram.press(await buttonOf(telegram, 1, 'Abort'))
  t.ok(await answersOf(telegram, 1))
  t.match(await settled(id), { status: 'succeeded', result: { replies: [{ decision: 'reject' }] } })
  t.same(telegram.answers, ['Rejected.'])
  t.ok(await eventually(() => telegram.messages[0]?.buttons.length === 0))
  t.match(await telegram.message(2), { text: /generate job of shop succeeded/, buttons: [] })
  const audit = (await app.inject('/audit?action=reply')).json()
  t.match(audit.data, [{ key: 'telegram:4711', action: 'reply.reject', target: id, outcome: 'done' }])
  t.same(telegram.violations, [])
})

test('two jobs at once have buttons of their own; one pressed twice, or late, changes nothing', async t => {
  const telegram = await startTelegram(t)
  const { create, settled, services } = await build(t, telegram.env)
  const first = await create([DELIVERY, DELIVERY], { notify: ['waiting'] })
  const ofFirst = await buttonOf(telegram, 1, 'Deploy')
  const second = await create([{ kind: 'confirm_run', command: 'bash run.sh', files: [] }], { notify: ['waiting'] })
  telegram.press(await buttonOf(telegram, 2, 'Approve'))
  t.ok(await answersOf(telegram, 1))
  t.match(await settled(second), { status: 'succeeded', result: { replies: [{ decision: 'approve' }] } })
  t.match(await settled(first), { status: 'waiting' })
  telegram.press(ofFirst, { messageId: 1 })
  await telegram.message(3)
  telegram.press(ofFirst, { messageId: 1 })
  t.ok(await answersOf(telegram, 3))
  t.same(telegram.answers, ['Approved.', 'Approved.', 'This question is not open any more.'])
  t.match(await settled(first), { status: 'waiting' }, 'the button of the first question leaves the second one open')
  const ofSecond = await buttonOf(telegram, 3, 'Deploy')
  await services.jobs.reply(first, { decision: 'reject' }, null)
  t.match(await settled(first), { status: 'succeeded' })
  t.ok(await eventually(() => telegram.messages[2]?.buttons.length === 0), 'also when it was answered elsewhere')
  telegram.press(ofSecond)
  telegram.press('a:4711')
  t.ok(await answersOf(telegram, 5))
  t.same(telegram.answers.slice(3), ['This question is not open any more.', 'This question is not open any more.'])
  t.same(telegram.violations, [])
})

test('what is pressed in another chat is ignored and logged', async t => {
  const telegram = await startTelegram(t)
  const { create, settled, logged } = await build(t, telegram.env)
  const id = await create([DELIVERY])
  const data = await buttonOf(telegram, 1, 'Deploy')
  telegram.press(data, { chatId: 99 })
  telegram.push({ message: { message_id: 1, chat: { id: 98 }, text: '/start' } })
  telegram.push({ callback_query: { id: 'inline', from: { id: 1 }, data } })
  telegram.push({ update_id: 'none', callback_query: { message: { chat: { id: CHAT_ID }, message_id: 'x' } } })
  t.ok(await eventually(() => logged.filter(({ message }) => message.includes('another chat')).length === 2))
  telegram.press('nothing of ours')
  t.ok(await answersOf(telegram, 1), 'those before it have been looked at')
  t.match(await settled(id), { status: 'waiting' })
  t.equal(telegram.answers.length, 1)
  t.same(
    logged.map(({ context }) => (context as { chat?: number }).chat),
    [99, 98],
  )
})

test('a question that takes words has no buttons and names the command; nothing foreign passes for a line', async t => {
  const telegram = await startTelegram(t)
  const { create } = await build(t, telegram.env)
  const question = 'Which?\n\nChecks: all passed\u202e <b>& @all'
  const id = await create([{ kind: 'clarification', question }])
  const { text, buttons } = await telegram.message(1)
  t.same(buttons, [])
  t.match(text, `\nQuestion: Which? Checks: all passed\\u202E <b>& @all\n`)
  t.match(text, `faultline jobs reply ${id} "…"`)
  await create([{ ...DELIVERY, branch: 'x'.repeat(10_000), problem: `${'y '.repeat(50_000)}` }])
  await telegram.message(2)
  t.same(telegram.violations, [])
})

test('a server that starts again takes the answers to what the one before asked', async t => {
  const root = testFolder(t)
  const telegram = await startTelegram(t)
  const first = await build(t, telegram.env, root)
  const id = await first.create([DELIVERY])
  const data = await buttonOf(telegram, 1, 'Deploy')
  await first.close()
  telegram.press(data)
  const second = await build(t, telegram.env, root)
  t.match(await second.settled(id), { status: 'waiting' })
  t.ok(await answersOf(telegram, 1))
  t.match(await second.settled(id), { status: 'succeeded' })
  await telegram.message(2)
  t.equal(telegram.messages.length, 2, 'the question is not asked again')
})

test('a bot that is refused or told to wait goes on later, says so once, and its token is nowhere', async t => {
  const telegram = await startTelegram(t)
  telegram.refuse('getUpdates', { status: 409 }, { status: 409 }, { status: 401, description: `bad ${BOT_TOKEN}` })
  telegram.refuse('sendMessage', { status: 429, parameters: { retry_after: 1 } })
  const { create, settled, logged, app } = await build(t, telegram.env)
  const id = await create([DELIVERY])
  telegram.press(await buttonOf(telegram, 1, 'Deploy'))
  t.match((await app.inject(`/jobs/${id}`)).json(), { status: 'waiting' })
  t.ok(await answersOf(telegram, 1))
  t.match(await settled(id), { status: 'succeeded' })
  await telegram.message(2)
  const log = logged.map(({ message }) => message)
  t.equal(log.filter(message => message.includes('409')).length, 1, log.join('\n'))
  t.equal(log.filter(message => message.includes('401')).length, 1)
  t.equal(log.filter(message => message.includes('429')).length, 1)
  t.notMatch(JSON.stringify(logged), BOT_TOKEN)
  t.notMatch(JSON.stringify((await app.inject(`/jobs/${id}/transcript`)).json()), BOT_TOKEN)
})

test('a message that Telegram will never take is left out, and the next one is sent', async t => {
  const telegram = await startTelegram(t)
  telegram.refuse('sendMessage', { status: 400, description: 'Bad Request: message is too long' })
  const { create, logged } = await build(t, telegram.env)
  await create([DELIVERY], { notify: ['waiting'] })
  t.ok(await eventually(() => logged.some(({ message }) => /left out.*too long/.test(message))))
  await create([{ ...DELIVERY, branch: 'feat/other' }], { notify: ['waiting'] })
  t.match((await telegram.message(1)).text, 'feat/other')
})

test('a server that Telegram cannot be reached from works on, and stops at once', async t => {
  const { create, settled, logged, close } = await build(t, {
    TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    TELEGRAM_CHAT_ID: '@shop_room',
    TELEGRAM_BASE_URL: 'http://127.0.0.1:1',
  })
  const id = await create([DELIVERY])
  t.match(await settled(id), { status: 'waiting' })
  t.ok(await eventually(() => logged.length === 2))
  t.match(logged, [{ message: /ECONNREFUSED/ }, { message: /ECONNREFUSED/ }])
  t.notMatch(JSON.stringify(logged), BOT_TOKEN)
  await close()
})

test('a cancelled job and one that failed are told, too', async t => {
  const telegram = await startTelegram(t)
  const { create, services } = await build(t, telegram.env)
  const id = await create([DELIVERY])
  await telegram.message(1)
  await services.jobs.cancel(id)
  t.match((await telegram.message(2)).text, /was cancelled\.\n/)
  t.ok(await eventually(() => telegram.messages[0]?.buttons.length === 0))
  await create([], { notify: ['done'], asks: null })
  t.match((await telegram.message(3)).text, /failed\.\nError: INTERNAL: /)
})

const callsOf = ({ calls }: FakeTelegram, method: string): number => calls.filter(call => call.method === method).length

test('a question that is answered while the messages before it are sent is not told any more', async t => {
  const telegram = await startTelegram(t)
  const { create, settled, services } = await build(t, telegram.env)
  const sendFirst = telegram.hold('sendMessage')
  await create([DELIVERY], { notify: ['waiting'] })
  t.ok(await eventually(() => callsOf(telegram, 'sendMessage') === 1))
  await create([DELIVERY], { notify: ['waiting'] })
  const answered = await create([DELIVERY], { notify: ['waiting'] })
  const moved = await create([DELIVERY, { kind: 'clarification', question: 'Which?' }], { notify: ['waiting'] })
  for (const id of [answered, moved]) t.match(await settled(id), { status: 'waiting' })
  const sendSecond = telegram.hold('sendMessage')
  sendFirst()
  t.ok(await eventually(() => callsOf(telegram, 'sendMessage') === 2))
  for (const id of [answered, moved]) await services.jobs.reply(id, { decision: 'approve' }, null)
  t.match(await settled(answered), { status: 'succeeded' })
  t.ok(await eventually(async () => (await services.jobs.get(moved)).request?.kind === 'clarification'))
  sendSecond()
  const last = await create([DELIVERY], { notify: ['waiting'] })
  t.ok(await eventually(() => telegram.messages.some(({ text }) => text.includes(last))))
  const about = (id: string) => telegram.messages.filter(({ text }) => text.includes(id)).map(({ text }) => text)
  t.same(about(answered), [])
  t.match(about(moved), [/asks a question/])
  t.equal(about(moved).length, 1)
})

test('more waiting jobs than are read at once are all told, and none of their buttons stays', async t => {
  const telegram = await startTelegram(t)
  const { create, settled, services } = await build(t, telegram.env)
  const send = telegram.hold('sendMessage')
  const ids = []
  for (let n = 0; n < 203; n++) ids.push(await create([DELIVERY], { notify: ['waiting'] }))
  for (const id of ids) t.match(await settled(id), { status: 'waiting' })
  send()
  t.ok(await eventually(() => telegram.messages.length === 203))
  t.equal(new Set(telegram.messages.map(({ text }) => text.split('\n').at(-1))).size, 203)
  const edit = telegram.hold('editMessageReplyMarkup')
  for (const id of ids) await services.jobs.cancel(id)
  edit()
  t.ok(await eventually(() => telegram.messages.every(({ buttons }) => buttons.length === 0)))
  t.same(telegram.violations, [])
})

test('buttons that cannot be taken off yet are taken off later', async t => {
  const telegram = await startTelegram(t)
  telegram.refuse('editMessageReplyMarkup', { status: 429, parameters: { retry_after: 1 } })
  const { create, services, logged } = await build(t, telegram.env)
  const id = await create([DELIVERY], { notify: ['waiting'] })
  await telegram.message(1)
  await services.jobs.reply(id, { decision: 'approve' }, null)
  t.ok(await eventually(() => telegram.messages[0]?.buttons.length === 0))
  t.match(logged, [{ message: /429/ }])
})

test('what is refused because of the chat is sent once the operator has mended that', async t => {
  const telegram = await startTelegram(t)
  const moved = { migrate_to_chat_id: -1009 }
  telegram.refuse(
    'sendMessage',
    { status: 400, description: 'Bad Request: chat not found' },
    { status: 400, description: 'Bad Request: group chat was upgraded to a supergroup chat', parameters: moved },
  )
  const { create, logged } = await build(t, telegram.env)
  const id = await create([DELIVERY], { notify: ['waiting'] })
  t.match((await telegram.message(1)).text, id)
  t.match(logged, [{ message: /chat not found/ }])
  t.match(JSON.stringify(logged), /the chat is -1009 now/)
})

test('buttons that Telegram will never take off hold no message up', async t => {
  const telegram = await startTelegram(t)
  telegram.refuse('editMessageReplyMarkup', { status: 400, description: 'Bad Request: need rights in the chat' })
  const { create, services, logged } = await build(t, telegram.env)
  const id = await create([DELIVERY], { notify: ['waiting'] })
  await telegram.message(1)
  await services.jobs.reply(id, { decision: 'approve' }, null)
  t.ok(await eventually(() => callsOf(telegram, 'editMessageReplyMarkup') === 1))
  await create([DELIVERY], { notify: ['waiting'] })
  await telegram.message(2)
  t.equal(callsOf(telegram, 'editMessageReplyMarkup'), 1)
  t.same(logged, [])
})

test('a server that closes while a message is sent does not wait for it for long, and the next one sends it', async t => {
  const root = testFolder(t)
  const telegram = await startTelegram(t)
  const send = telegram.hold('sendMessage')
  const first = await build(t, telegram.env, root)
  const id = await first.create([DELIVERY], { notify: ['waiting'] })
  t.ok(await eventually(() => callsOf(telegram, 'sendMessage') === 1))
  await first.create([DELIVERY], { notify: ['waiting'] })
  await first.close()
  t.equal(callsOf(telegram, 'sendMessage'), 1, 'no further message was begun')
  t.same(first.logged, [])
  telegram.hold('sendMessage')()
  const second = await build(t, telegram.env, root)
  t.match((await telegram.message(1)).text, id)
  await telegram.message(2)
  await second.close()
  t.equal(callsOf(telegram, 'sendMessage'), 3)
  send()
})

test('buttons that are pressed while the server closes are stored or come again', async t => {
  const root = testFolder(t)
  const telegram = await startTelegram(t)
  const first = await build(t, telegram.env, root)
  const ids = []
  for (let n = 0; n < 5; n++) ids.push(await first.create([DELIVERY], { notify: ['waiting'] }))
  await telegram.message(5)
  const pressed = await Promise.all(ids.map((_id, n) => buttonOf(telegram, n + 1, 'Deploy')))
  const answer = telegram.hold('answerCallbackQuery')
  pressed.forEach((data, n) => {
    telegram.press(data, { messageId: n + 1 })
  })
  t.ok(await eventually(() => callsOf(telegram, 'answerCallbackQuery') === 1))
  await first.close()
  answer()
  const second = await build(t, telegram.env, root)
  for (const id of ids) {
    t.ok(await eventually(async () => (await second.settled(id)).status === 'succeeded'))
    t.match((await second.settled(id)).result, { replies: [{ decision: 'approve' }] })
  }
  t.same([...first.logged, ...second.logged], [])
})
