import { test } from 'tap'
import { prepareSelfHeal } from '../../../src/pipelines/heal/prepare.ts'
import { requestParts } from '../../helpers/request-parts.ts'

const { complete, dryRun } = prepareSelfHeal(requestParts())
const files = { 'run.sh': 'python3 main.py\n', 'bin/start.sh': 'true\n' }

test('a self_heal job keeps its source and the script that runs it', async t => {
  t.same(await complete({ prompt: 'a', files }), { prompt: 'a', files, entrypoint: 'run.sh' })
  t.equal((await complete({ prompt: 'a', files, entrypoint: './bin/start.sh' })).entrypoint, 'bin/start.sh')
  t.equal((await complete({ prompt: 'a', project_name: 'shop' })).project_name, 'shop')
})

test('a program without its script is refused, and any without a model or a sandbox', async t => {
  const missing = { code: 'ENTRYPOINT_NOT_FOUND' }
  await t.rejects(complete({ prompt: 'a', files, entrypoint: 'start.sh' }), missing)
  await t.rejects(complete({ prompt: 'a', files: { 'a.py': '1' } }), missing)
  await t.rejects(complete({ prompt: 'a' }), { code: 'VALIDATION_FAILED' }, 'no source')
  const body = { prompt: 'a', files }
  await t.rejects(prepareSelfHeal(requestParts({ noModel: true })).complete(body), { code: 'LLM_NOT_CONFIGURED' })
  await t.rejects(prepareSelfHeal(requestParts({ noSandbox: true })).complete(body), { code: 'SANDBOX_UNAVAILABLE' })
})

test('a dry run asks as if the program had failed without a word', async t => {
  t.match((await dryRun({ prompt: 'count', project_name: 'shop' })).messages[0]?.content, /main\.py.*exit code 1/)
})
