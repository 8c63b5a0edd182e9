import { test } from 'tap'
import { createBotApi } from '../../../src/outbound/telegram/bot-api.ts'
import { BOT_TOKEN, startTelegram } from '../../fakes/telegram.ts'

const { signal } = new AbortController()

test('no part of the token stands in an error, wherever the answer is cut, and nothing invisible', async t => {
  const telegram = await startTelegram(t)
  const api = createBotApi({ token: BOT_TOKEN, baseUrl: telegram.url })
  t.teardown(api.close)
  for (const before of [0, 160, 180, 190, 199]) {
    telegram.refuse('sendMessage', { status: 400, description: 'x'.repeat(before) + BOT_TOKEN })
    const error = await api.call('sendMessage', {}, { signal }).catch((reason: unknown) => reason)
    t.match(error, { status: 400 })
    t.notMatch(String(error), '123456:AA', String(before))
    t.equal((error as Error).cause, undefined)
  }
  telegram.refuse('sendMessage', { status: 400, description: 'a\u001b[31m\n\u202eb' })
  await t.rejects(api.call('sendMessage', {}, { signal }), { message: /\(a\\u001B\[31m\\u000A\\u202Eb\)/ })
})

test('whatever goes wrong with a connection is an error without the address', async t => {
  const urls = ['http://127.0.0.1:1', 'http://[::1', 'http://127.0.0.1:99999']
  for (const baseUrl of urls) {
    const api = createBotApi({ token: BOT_TOKEN, baseUrl })
    const error = await api.call('getUpdates', {}, { signal }).catch((reason: unknown) => reason)
    t.match(error, { name: 'BotApiError', status: null })
    t.notMatch(JSON.stringify({ ...(error as Error), message: (error as Error).message }), BOT_TOKEN)
    await api.close()
  }
})
