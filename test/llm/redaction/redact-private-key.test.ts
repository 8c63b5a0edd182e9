import { test } from 'tap'
import { hidePrivateKeys } from '../../../src/llm/redaction/redact-private-key.ts'

const LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7'
const KEY = `-----BEGIN PRIVATE KEY-----\n${LINE}\n${LINE}\nAbCdEf==\n-----END PRIVATE KEY-----\n`

test('the lines of a key go, the lines of the text stay', async t => {
  const { text, count } = hidePrivateKeys(`before\n${KEY}after\n`)
  t.equal(count, 1)
  t.notMatch(text, LINE.slice(0, 20))
  t.notMatch(text, 'AbCdEf')
  t.equal(text.split('\n').length, `before\n${KEY}after\n`.split('\n').length)
  t.match(text, /^before\n-----BEGIN PRIVATE KEY-----\n\[redacted:private-key\]/)
  t.match(text, /-----END PRIVATE KEY-----\nafter\n$/)
})

test('a key in a string, and one that is cut off, go as well', async t => {
  for (const text of [`const key = "${KEY.replaceAll('\n', '\\n')}"`, KEY.slice(0, 100)]) {
    t.notMatch(hidePrivateKeys(text).text, LINE.slice(0, 20))
  }
})

test('the first line alone is no secret', async t => {
  const text = "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return true\n"
  t.same(hidePrivateKeys(text), { text, count: 0 })
})
