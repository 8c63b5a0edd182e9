import { test } from 'tap'
import { prepareCiLog, prepareResolve } from '../../../src/pipelines/resolve/prepare.ts'
import { requestParts } from '../../helpers/request-parts.ts'

test('jobs of traces and of logs keep the name that their project has, and where their result goes', async t => {
  const kept = { project_name: 'shop', callback_url: 'https://of.project/' }
  t.same(await prepareResolve(requestParts()).complete({ stacktrace: 'x', project_name: 'Shop' }), {
    stacktrace: 'x',
    ...kept,
  })
  t.same(await prepareCiLog(requestParts()).complete({ log: 'x', project_name: 'Shop' }), { log: 'x', ...kept })
})

test('a dry run makes no job; an address that cannot be sent to is refused', async t => {
  const { complete } = prepareResolve(requestParts())
  const body = { stacktrace: 'x', project_name: 'shop' }
  await t.rejects(complete({ ...body, dry_run: true }), { code: 'VALIDATION_FAILED', fix: /answers at once/ })
  await t.rejects(complete({ ...body, callback_url: 'http://10.0.0.1/' }), { code: 'ADDRESS_REFUSED' })
})
