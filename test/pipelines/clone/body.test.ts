import { test } from 'tap'
import { CLONE_REQUEST } from '../../../src/pipelines/clone/body.ts'
import { checkBody } from '../check-body.ts'

test('what the document shows as an example can be sent; unknown fields cannot', async t => {
  const { type, schema } = CLONE_REQUEST
  t.equal(type, 'clone')
  checkBody(t, schema, { least: { url: 'https://example.com/a.git' }, mistyped: { url: 1 } })
})
