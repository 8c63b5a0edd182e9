import { test } from 'tap'
import { createCallbackService } from '../../src/services/callbacks.ts'
import { startCallbackReceiver } from '../fakes/callback-receiver.ts'

const parts = {
  store: { findProject: async (name: string) => (name === 'new' ? null : name) },
  projects: {
    settings: async (name: string) => ({
      callbackUrl: name === 'plain' ? null : 'https://ci.example.com/',
      notify: null,
    }),
    sourceOf: async () => ({ repository: 'shop', commit: 'c0ffee' }),
  },
  git: { readBytes: async () => Buffer.from('notify = ["waiting"]') },
} as never

const NOTHING = { allowPrivateHosts: false, publicUrl: null, telegram: null }

test('without a secret for CI nothing can be sent', async t => {
  const { choice } = createCallbackService({ ...NOTHING, webhookKeys: new Map() }, parts)
  t.throws(() => choice.check('https://ci.example.com/'), { code: 'WEBHOOK_NOT_CONFIGURED' })
})

test('with one, results go to the address of the project, and never to one of this network', async t => {
  const webhookKeys = new Map([['ci', [Buffer.from('k'.repeat(32))]]])
  const { choice } = createCallbackService({ ...NOTHING, webhookKeys }, parts)
  t.doesNotThrow(() => choice.check('https://ci.example.com/'))
  t.throws(() => choice.check('https://127.0.0.1/'), { code: 'ADDRESS_REFUSED' })
  const chosen = { callback_url: 'https://ci.example.com/', notify: ['waiting'] }
  t.same(await choice.of({ project_name: 'shop' }), chosen, 'and notify as its file says')
  t.same(await choice.of({ project_name: 'shop', notify: [] }), { ...chosen, notify: [] }, 'the body wins')
  t.same(await choice.of({ project_name: 'plain' }), {}, 'no file is read when nobody could hear of it')
  t.same(await choice.of({ project_name: 'new' }), {})
})

test('messages say where their job is, whatever the message itself is called', async t => {
  const key = Buffer.from('k'.repeat(32))
  await using receiver = await startCallbackReceiver()
  const { deliver } = createCallbackService(
    {
      ...NOTHING,
      allowPrivateHosts: true,
      publicUrl: 'https://faultline.example.com',
      webhookKeys: new Map([['ci', [key]]]),
    },
    parts,
  )
  const { signal } = new AbortController()
  await deliver({ url: receiver.url, id: 'deploy-7', body: '{"job_id":"7"}', signal })
  await deliver({ url: receiver.url, id: 'waiting-7-1', body: '{"id":"7"}', signal })
  for (const { body } of receiver.received) {
    t.equal(JSON.parse(body.toString()).url, 'https://faultline.example.com/jobs/7')
  }
  t.equal(receiver.received.length, 2)
})
