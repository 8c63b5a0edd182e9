import { test } from 'tap'
import { refuseLargeText, TEXT_LIMIT_BYTES } from '../../src/http/text-size.ts'

const refuse = (text: unknown) => () => refuseLargeText({ log: text }, 'log', 'log')

test('a text may have 10 MiB, counted in bytes', async t => {
  t.doesNotThrow(refuse('a'.repeat(TEXT_LIMIT_BYTES)))
  t.throws(refuse('a'.repeat(TEXT_LIMIT_BYTES + 1)), {
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The log has more than 10 MiB.',
  })
  t.throws(refuse('€'.repeat(TEXT_LIMIT_BYTES / 3 + 1)), { code: 'PAYLOAD_TOO_LARGE' })
})

test('what is no text is left to the schema', async t => {
  t.doesNotThrow(refuse(1))
  t.doesNotThrow(() => refuseLargeText(null, 'log', 'log'))
  t.doesNotThrow(() => refuseLargeText('text', 'log', 'log'))
})
