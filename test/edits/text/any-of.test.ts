import { test } from 'tap'
import { anyOf } from '../../../src/edits/text/any-of.ts'

test('a pattern of several matches where any of them does, and with its own flags', async t => {
  const pattern = anyOf([/^a|b$/, /c{2}/])
  for (const text of ['ax', 'xb', 'xccx']) t.ok(pattern.test(text), text)
  for (const text of ['xa', 'bx', 'c', 'CC']) t.notOk(pattern.test(text), text)
  t.ok(anyOf([/c{2}/], 'i').test('CC'))
})
