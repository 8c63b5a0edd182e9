import { test } from 'tap'
import { BISECT_REQUEST } from '../../../src/pipelines/bisect/body.ts'
import { prepareBisect } from '../../../src/pipelines/bisect/prepare.ts'
import { fitsSchema } from '../../helpers/fits-schema.ts'
import { requestParts } from '../../helpers/request-parts.ts'
import { checkBody } from '../check-body.ts'

const BODY = { project_name: 'SHOP', good: 'v1', command: 'true' }

test('a body is completed with the name of its project and its callback; a dry run makes no job', async t => {
  const bisect = prepareBisect(requestParts())
  t.match(await bisect.complete({ ...BODY, bad: 'main', timeout_s: 5, dry_run: false }), {
    project_name: 'shop',
    command: 'true',
    timeout_s: 5,
    callback_url: 'https://of.project/',
  })
  t.same(await bisect.dryRun(BODY), { messages: [], tokens: 0, usd: 0 })
  await t.rejects(bisect.complete({ ...BODY, dry_run: true }), { code: 'VALIDATION_FAILED' })
  await t.rejects(bisect.dryRun({ ...BODY, project_name: 'nope' }), { code: 'PROJECT_NOT_FOUND' })
})

test('hostile names, addresses and a missing jail are refused', async t => {
  const bisect = prepareBisect(requestParts())
  await t.rejects(bisect.complete({ ...BODY, good: '-x' }))
  await t.rejects(bisect.complete({ ...BODY, bad: '--all' }))
  await t.rejects(bisect.complete({ ...BODY, callback_url: 'http://10.0.0.1/' }), { code: 'ADDRESS_REFUSED' })
  const jailless = prepareBisect(requestParts({ noSandbox: true }))
  await t.rejects(jailless.complete(BODY), { code: 'SANDBOX_UNAVAILABLE' })
  const modelless = prepareBisect(requestParts({ noModel: true }))
  t.match(await modelless.complete(BODY), { command: 'true' }, 'no model is needed')
})

test('the command is required, and from the body alone', async t => {
  const { schema } = BISECT_REQUEST
  checkBody(t, schema, { least: BODY, mistyped: { ...BODY, command: 1 } })
  for (const wrong of [{ good: '' }, { timeout_s: 0 }, { model: 'x' }]) {
    t.notOk(fitsSchema(schema, { ...BODY, ...wrong }), JSON.stringify(wrong))
  }
  const { command: _command, ...without } = BODY
  t.notOk(fitsSchema(schema, without))
  t.notOk(fitsSchema(schema, { ...BODY, command: '  ' }))
})
