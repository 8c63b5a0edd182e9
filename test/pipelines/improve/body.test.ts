import { test } from 'tap'
import { IMPROVE_REQUEST } from '../../../src/pipelines/improve/body.ts'
import { checkBody } from '../check-body.ts'

test('what the document shows as an example can be sent; unknown fields cannot', async t => {
  const { type, schema } = IMPROVE_REQUEST
  t.equal(type, 'improve')
  checkBody(t, schema, { least: { prompt: 'a' }, mistyped: { prompt: 1 } })
})
