import { test } from 'tap'
import { prepareGenerate } from '../../../src/pipelines/generate/prepare.ts'
import { requestParts } from '../../helpers/request-parts.ts'

const { complete, dryRun } = prepareGenerate(requestParts())

test('a generate job keeps its body as it is', async t => {
  const body = { prompt: 'a program', files: { 'a.txt': '1' }, execute: 'always' as const }
  t.same(await complete({ ...body, dry_run: false }), body)
})

test('contradictions are refused, and what there is no model or no sandbox for', async t => {
  const invalid = { code: 'VALIDATION_FAILED' }
  await t.rejects(complete({ prompt: 'a', self_heal: true, execute: 'never' }), invalid)
  await t.rejects(complete({ prompt: 'a', max_questions: 3 }), invalid)
  await t.rejects(complete({ prompt: 'a', dry_run: true }), { ...invalid, message: 'A dry run makes no job.' })
  await t.rejects(complete({ prompt: 'a', files: { '../a': '1' } }), { code: 'BAD_PATH' })
  await t.rejects(prepareGenerate(requestParts({ noModel: true })).complete({ prompt: 'a' }), {
    code: 'LLM_NOT_CONFIGURED',
  })
  const { complete: withoutSandbox } = prepareGenerate(requestParts({ noSandbox: true }))
  t.same(await withoutSandbox({ prompt: 'a' }), { prompt: 'a' }, 'a person is asked before it is run')
  await t.rejects(withoutSandbox({ prompt: 'a', execute: 'always' }), { code: 'SANDBOX_UNAVAILABLE' })
  await t.rejects(withoutSandbox({ prompt: 'a', self_heal: true }), { code: 'SANDBOX_UNAVAILABLE' })
})

test('a dry run says what would be sent and needs no model', async t => {
  const { messages } = await dryRun({ prompt: 'a program', mode: 'clarified' })
  t.match(messages[0]?.content, /clarify.*a program/)
})

test('a dry run refuses the paths that a job refuses', async t => {
  for (const path of ['../../etc/passwd', '.git/config', 'a\0b', '/etc/passwd']) {
    const body = { prompt: 'a', files: { [path]: '1' } }
    await t.rejects(dryRun(body), { code: 'BAD_PATH' }, path)
    await t.rejects(complete(body), { code: 'BAD_PATH' }, path)
  }
})
