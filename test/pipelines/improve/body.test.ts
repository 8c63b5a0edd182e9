import { test } from 'tap'
import { IMPROVE_REQUEST } from '../../../src/pipelines/improve/body.ts'
import { examplesOf, fitsSchema } from '../../helpers/fits-schema.ts'

test('what the document shows as an example can be sent; unknown fields cannot', async t => {
  const { type, schema } = IMPROVE_REQUEST
  t.equal(type, 'improve')
  t.ok(examplesOf(schema).length > 0)
  for (const example of examplesOf(schema)) t.ok(fitsSchema(schema, example))
  t.ok(fitsSchema(schema, { prompt: 'a' }))
  t.notOk(fitsSchema(schema, { prompt: 'a', unknown: 1 }))
  t.notOk(fitsSchema(schema, { prompt: 1 }))
})
