import { test } from 'tap'
import { redactTexts } from '../../../src/llm/redaction/redact-values.ts'

test('texts of plain data lose their secrets, at any depth; all else stays as it is', async t => {
  const data = {
    text: 'DB_PASSWORD=swordfish',
    list: [{ deep: 'postgres://a:hunter22@db' }, 7, null, true],
    password: 'stays, as nothing says so here',
    short: 'a',
  }
  t.same(redactTexts(data), {
    text: 'DB_PASSWORD=[redacted:password]',
    list: [{ deep: 'postgres://a:[redacted:password]@db' }, 7, null, true],
    password: 'stays, as nothing says so here',
    short: 'a',
  })
  t.equal(redactTexts('x://a:cd@e'), 'x://a:[redacted:password]@e', 'ten characters')
  t.equal(redactTexts(null), null)
})
