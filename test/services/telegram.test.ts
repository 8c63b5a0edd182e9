import { test, type Test } from 'tap'
import { createTelegramChat } from '../../src/services/telegram.ts'
import { loadConfig } from '../../src/config.ts'
import { startTelegram, type FakeTelegram } from '../fakes/telegram.ts'
import { eventually } from '../helpers/processes.ts'
import { testFolder } from '../helpers/test-folder.ts'

const asked = ({ calls }: FakeTelegram): number => calls.filter(({ method }) => method === 'getUpdates').length

test('answers are taken as long as this process is the one that does so, and again when it is once more', async t => {
  const telegram = await startTelegram(t)
  const { telegram: settings, publicUrl } = loadConfig({ root: testFolder(t), env: telegram.env })
  if (settings === null) throw new Error('there is no chat')
  const closing = new AbortController()
  const warnings: unknown[] = []
  const chat = createTelegramChat({
    config: { telegram: settings, publicUrl },
    notifications: { find: async () => null },
    answering: Promise.resolve({ reply: async () => Promise.reject(new Error('nothing is asked')) }),
    log: { info() {}, warn: (...args: unknown[]) => warnings.push(args), error() {} },
    closing: closing.signal,
  })
  t.teardown(async () => {
    closing.abort()
    await chat.close()
  })
  const [first, second] = [new AbortController(), new AbortController()]
  chat.start(() => {}, first.signal)
  t.ok(await eventually(() => asked(telegram) === 1))
  first.abort()
  chat.start(() => {}, AbortSignal.abort())
  chat.start(() => {}, second.signal)
  t.ok(await eventually(() => asked(telegram) === 2), 'one request at a time')
  telegram.press('a:4711')
  t.ok(await eventually(() => telegram.answers.length === 1))
  t.ok(await eventually(() => asked(telegram) === 3))
  t.same(warnings, [])
  t.same(telegram.violations, [])
})

/** A chat of these settings whose server has been asked once, and what it warns of. */
async function openChat(t: Test, chatId: string) {
  const telegram = await startTelegram(t)
  const env = { ...telegram.env, TELEGRAM_CHAT_ID: chatId }
  const { telegram: settings, publicUrl } = loadConfig({ root: testFolder(t), env })
  if (settings === null) throw new Error('there is no chat')
  const warnings: Array<[object, string]> = []
  const ended = new AbortController()
  const chat = createTelegramChat({
    config: { telegram: settings, publicUrl },
    notifications: { find: async () => null },
    answering: Promise.resolve({ reply: async () => Promise.reject(new Error('nothing is asked')) }),
    log: { info() {}, warn: (context: object, message: string) => warnings.push([context, message]), error() {} },
    closing: ended.signal,
  })
  return { telegram, chat, warnings, ended }
}

test('a chat is known by its number, or by its name however that is written; others are told of once', async t => {
  const press = (chat: object) => ({
    callback_query: {
      id: 'q',
      from: { id: 1, is_bot: false, first_name: 'Ada' },
      message: { message_id: 1, date: 1, chat: { type: 'group', ...chat } },
      data: 'a:4711',
    },
  })
  for (const [chatId, own, others] of [
    ['@OpsTeam', { id: 5, username: 'opsteam' }, [{ id: 6, username: 'ops' }, { id: 7 }, { id: 7 }]],
    ['-5', { id: -5 }, [{ id: 5 }, { id: -55, username: '-5' }, { id: 5 }]],
  ] as const) {
    const { telegram, chat, warnings, ended } = await openChat(t, chatId)
    chat.start(() => {}, ended.signal)
    for (const other of others) telegram.push(press(other))
    telegram.push(press(own))
    t.ok(await eventually(() => telegram.answers.length === 1), chatId)
    t.equal(warnings.length, 2)
    for (const [, message] of warnings) t.match(message, /from another chat than TELEGRAM_CHAT_ID is ignored/)
    ended.abort()
    await chat.close()
    t.equal(telegram.answers.length, 1, 'no other was answered')
  }
})

test('a chat that is closed asks nothing any more', async t => {
  const { telegram, chat, warnings, ended } = await openChat(t, '-5')
  const turn = new AbortController()
  chat.start(() => {}, turn.signal)
  t.ok(await eventually(() => asked(telegram) === 1))
  turn.abort()
  await chat.close()
  const late = new AbortController()
  chat.start(() => {}, late.signal)
  t.ok(await eventually(() => warnings.length === 1), 'there is no connection for it')
  late.abort()
  ended.abort()
  t.equal(asked(telegram), 1)
})
