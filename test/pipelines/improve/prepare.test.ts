import { test } from 'tap'
import { prepareImprove } from '../../../src/pipelines/improve/prepare.ts'
import { requestParts } from '../../helpers/request-parts.ts'

const { complete, dryRun } = prepareImprove(requestParts())
const files = { 'a.py': '1\n' }

test('an improve job keeps its source: files as they were sent, or the name of a project', async t => {
  t.same(await complete({ prompt: 'a', files }), { prompt: 'a', files })
  t.same(await complete({ prompt: 'a', project_name: 'Shop' }), {
    prompt: 'a',
    project_name: 'shop',
    callback_url: 'https://of.project/',
  })
})

test('a selection is checked before there is a job', async t => {
  const invalid = { code: 'VALIDATION_FAILED' }
  await t.rejects(complete({ prompt: 'a', files, select: ['{'] }), invalid, 'a glob that cannot be used')
  await t.rejects(complete({ prompt: 'a', files, select: ['b.py'] }), invalid, 'it fits no file')
  await t.rejects(complete({ prompt: 'a', files, select: ['a.py'], select_toml: '[files]' }), invalid)
  const off = '[files]\n"a.py" = "selected"\n[linting]\n"linting" = "off"\n'
  await t.rejects(complete({ prompt: 'a', project_name: 'shop', select_toml: off, lint: true }), invalid)
  t.match(await complete({ prompt: 'a', files, select_toml: off }), { select_toml: off })
})

test('a linter is asked for by lint or by the file of gpt-engineer, and needs a project that has one', async t => {
  const on = '[files]\n"main.py" = "selected"\n[linting]\n"linting" = "on"\n'
  t.equal((await complete({ prompt: 'a', project_name: 'shop', select_toml: on })).lint, true)
  const body = { prompt: 'a', project_name: 'shop', lint: true }
  await t.rejects(prepareImprove(requestParts({ noLinter: true })).complete(body), { code: 'VALIDATION_FAILED' })
  await t.rejects(prepareImprove(requestParts({ noSandbox: true })).complete(body), { code: 'SANDBOX_UNAVAILABLE' })
  await t.rejects(complete({ prompt: 'a', files, lint: true }), { code: 'VALIDATION_FAILED' })
})

test('a dry run shows the files that would be shown', async t => {
  t.match((await dryRun({ prompt: 'greet', files })).messages[0]?.content, /a\.py.*greet/)
})
