import { test } from 'tap'
import { SELF_HEAL_REQUEST } from '../../../src/pipelines/heal/body.ts'
import { checkBody } from '../check-body.ts'

test('what the document shows as an example can be sent; unknown fields cannot', async t => {
  const { type, schema } = SELF_HEAL_REQUEST
  t.equal(type, 'self_heal')
  checkBody(t, schema, { least: { prompt: 'a' }, mistyped: { prompt: 1 } })
})
