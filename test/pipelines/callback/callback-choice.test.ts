import { test } from 'tap'
import { FaultlineError } from '../../../src/core/errors.ts'
import { createCallbackChoice } from '../../../src/pipelines/callback/callback-choice.ts'

const choice = (canSign: boolean) =>
  createCallbackChoice({
    canSign,
    checkUrl: url => {
      if (url === 'bad') throw new FaultlineError('ADDRESS_REFUSED', 'no')
    },
    defaultOf: async name => (name === 'shop' ? 'https://default/' : null),
    notifyOf: async name => (name === 'told' ? ['done'] : null),
  })

test('an address that nothing can be sent to, or that nothing can be signed for, is refused', async t => {
  t.doesNotThrow(() => choice(false).check(undefined))
  t.doesNotThrow(() => choice(false).check(null))
  t.doesNotThrow(() => choice(true).check('https://a/'))
  t.throws(() => choice(true).check('bad'), { code: 'ADDRESS_REFUSED' })
  t.throws(() => choice(false).check('https://a/'), { code: 'WEBHOOK_NOT_CONFIGURED' })
})

test('the request says where the result goes, else its project, else nobody', async t => {
  const { of: chosen } = choice(true)
  t.same(await chosen({ callback_url: 'https://a/', project_name: 'shop' }), { callback_url: 'https://a/' })
  t.same(await chosen({ project_name: 'shop' }), { callback_url: 'https://default/' })
  t.same(await chosen({ project_name: 'new' }), {})
  t.same(await chosen({ project_name: 'told' }), { notify: ['done'] })
  t.same(await chosen({ project_name: 'told', notify: ['waiting'] }), { notify: ['waiting'] })
})
