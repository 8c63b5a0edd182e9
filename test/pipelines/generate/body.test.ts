import { test } from 'tap'
import { GENERATE_REQUEST } from '../../../src/pipelines/generate/body.ts'
import { examplesOf, fitsSchema } from '../../helpers/fits-schema.ts'

test('what the document shows as an example can be sent; unknown fields cannot', async t => {
  const { type, schema } = GENERATE_REQUEST
  t.equal(type, 'generate')
  t.ok(examplesOf(schema).length > 0)
  for (const example of examplesOf(schema)) t.ok(fitsSchema(schema, example))
  t.ok(fitsSchema(schema, { prompt: 'a' }))
  t.notOk(fitsSchema(schema, { prompt: 'a', unknown: 1 }))
  t.notOk(fitsSchema(schema, { prompt: 1 }))
})
