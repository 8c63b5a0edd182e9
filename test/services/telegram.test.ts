import { test } from 'tap'
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
