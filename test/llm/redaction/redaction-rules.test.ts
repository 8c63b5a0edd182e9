import { test } from 'tap'
import { RULES } from '../../../src/llm/redaction/redaction-rules.ts'

test('every rule searches all of a text, and none matches an empty one', async t => {
  t.ok(RULES.length > 10)
  for (const { pattern } of RULES) {
    t.equal(pattern.global, true)
    t.equal(new RegExp(pattern.source, pattern.flags).test(''), false, pattern.source.slice(0, 60))
  }
})
