import { test } from 'tap'
import { createCallbackService } from '../../src/services/callbacks.ts'

const parts = {
  store: { findProject: async (name: string) => (name === 'shop' ? name : null) },
  projects: { settings: async () => ({ callbackUrl: 'https://ci.example.com/' }) },
} as never

test('without a secret for CI nothing can be sent', async t => {
  const { choice } = createCallbackService({ webhookKeys: new Map(), allowPrivateHosts: false, publicUrl: null }, parts)
  t.throws(() => choice.check('https://ci.example.com/'), { code: 'WEBHOOK_NOT_CONFIGURED' })
})

test('with one, results go to the address of the project, and never to one of this network', async t => {
  const webhookKeys = new Map([['ci', [Buffer.from('k'.repeat(32))]]])
  const { choice } = createCallbackService({ webhookKeys, allowPrivateHosts: false, publicUrl: null }, parts)
  t.doesNotThrow(() => choice.check('https://ci.example.com/'))
  t.throws(() => choice.check('https://127.0.0.1/'), { code: 'ADDRESS_REFUSED' })
  t.same(await choice.of({ project_name: 'shop' }), { callback_url: 'https://ci.example.com/' })
  t.same(await choice.of({ project_name: 'new' }), {})
})
