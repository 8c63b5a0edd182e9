import { test } from 'tap'
import { FIX_REQUEST } from '../../../src/pipelines/fix/body.ts'
import { examplesOf, fitsSchema } from '../../helpers/fits-schema.ts'

test('a trace and a project can be sent, with a command that verifies; neither can be left out', async t => {
  const { schema, route } = FIX_REQUEST
  for (const example of examplesOf(schema)) t.ok(fitsSchema(schema, example))
  t.ok(fitsSchema(schema, { project_name: 'shop', stacktrace: 'x', verify: { command: 'make test' } }))
  t.notOk(fitsSchema(schema, { project_name: 'shop', stacktrace: 'x', verify: { command: ' ' } }))
  t.notOk(fitsSchema(schema, { stacktrace: 'x' }))
  t.notOk(fitsSchema(schema, { project_name: 'shop' }))
  t.equal(route.longText.field, 'stacktrace', 'which may be longer than other bodies')
})
