import { test } from 'tap'
import { CLONE_REQUEST } from '../../../src/pipelines/clone/body.ts'
import { examplesOf, fitsSchema } from '../../helpers/fits-schema.ts'

test('what the document shows as an example can be sent; unknown fields cannot', async t => {
  const { type, schema } = CLONE_REQUEST
  t.equal(type, 'clone')
  t.ok(examplesOf(schema).length > 0)
  for (const example of examplesOf(schema)) t.ok(fitsSchema(schema, example))
  t.ok(fitsSchema(schema, { url: 'https://example.com/a.git' }))
  t.notOk(fitsSchema(schema, { url: 'https://example.com/a.git', unknown: 1 }))
  t.notOk(fitsSchema(schema, { url: 1 }))
})
