import { test } from 'tap'
import { needSandbox } from '../../../../src/pipelines/steps/request/need-sandbox.ts'

const probe = (available: boolean, reason: string | null, fix: string | null) => ({
  probeSandbox: async () => ({ available, reason, fix }),
})

test('without a sandbox the reason and the way out are said', async t => {
  await t.resolves(needSandbox(probe(true, null, null)))
  await t.rejects(needSandbox(probe(false, 'bwrap is missing', 'apt-get install bubblewrap')), {
    code: 'SANDBOX_UNAVAILABLE',
    message: 'Programs cannot be run: bwrap is missing',
    fix: 'apt-get install bubblewrap',
  })
  await t.rejects(needSandbox(probe(false, null, null)), { message: /there is no sandbox/ })
})
