import { test } from 'tap'
import { GENERATE_REQUEST } from '../../../src/pipelines/generate/body.ts'
import { checkBody } from '../check-body.ts'

test('what the document shows as an example can be sent; unknown fields cannot', async t => {
  const { type, schema } = GENERATE_REQUEST
  t.equal(type, 'generate')
  checkBody(t, schema, { least: { prompt: 'a' }, mistyped: { prompt: 1 } })
})
