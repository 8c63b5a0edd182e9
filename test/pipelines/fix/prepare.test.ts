import { test } from 'tap'
import { prepareFix } from '../../../src/pipelines/fix/prepare.ts'
import { requestParts } from '../../helpers/request-parts.ts'

const { complete, dryRun } = prepareFix(requestParts())
const body = { stacktrace: 'Traceback', project_name: 'SHOP' }

test('a fix job keeps the name that its project has, and where its result goes', async t => {
  t.same(await complete(body), { ...body, project_name: 'shop', callback_url: 'https://of.project/' })
})

test('a project that is not there, a bad glob and a missing model or sandbox are refused', async t => {
  await t.rejects(complete({ ...body, project_name: 'nope' }), { code: 'PROJECT_NOT_FOUND' })
  await t.rejects(complete({ ...body, allow_paths: ['{'] }), { code: 'VALIDATION_FAILED' })
  await t.rejects(complete({ ...body, dry_run: true }), { code: 'VALIDATION_FAILED' })
  await t.rejects(prepareFix(requestParts({ noModel: true })).complete(body), { code: 'LLM_NOT_CONFIGURED' })
  const withoutSandbox = prepareFix(requestParts({ noSandbox: true }))
  t.match(await withoutSandbox.complete(body), { project_name: 'shop' }, 'nothing is run')
  await t.rejects(withoutSandbox.complete({ ...body, verify: { command: 'make' } }), { code: 'SANDBOX_UNAVAILABLE' })
})

test('a dry run shows the trace with the code behind it', async t => {
  t.match((await dryRun(body)).messages[0]?.content, /main\.py.*Traceback.*def a\(\)/)
})
