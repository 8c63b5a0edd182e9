import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { test } from 'tap'
import { readLogBody } from '../../src/http/webhook-body.ts'
import { runs } from '../helpers/property-runs.ts'

const LIMIT = 10 * 1024 * 1024
/** JSON as senders write it that keep to ASCII. */
const escaped = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
/** What must agree: names, texts but that of the log, and kinds; the schema refuses whatever is no text. */
const essence = (body: unknown) =>
  Object.entries(body as object).map(([name, value]: [string, unknown]) => [
    name,
    typeof value,
    name === 'log' || typeof value !== 'string' ? null : value,
  ])

test('every field but the log is what JSON.parse makes of the bytes, however they are written', async () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
  const field = fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text))
  const body = fc
    .record(
      {
        project_name: field,
        log: text,
        commit: field,
        more: fc.dictionary(
          text.filter(name => name !== '__proto__' && name !== 'constructor'),
          field,
        ),
      },
      { requiredKeys: [] },
    )
    .map(({ more, ...rest }) => ({ ...more, ...rest }))
  fc.assert(
    fc.property(body, fc.boolean(), (value, ascii) => {
      const bytes = Buffer.from(ascii ? escaped(value) : JSON.stringify(value))
      return isDeepStrictEqual(essence(readLogBody(bytes)), essence(JSON.parse(bytes.toString())))
    }),
    { numRuns: runs(300) },
  )
})

test('a log of 10 MiB is taken and one of a byte more is not, whatever its characters and their escapes', async t => {
  const bytesOf = (log: string, write: (value: unknown) => string = JSON.stringify) =>
    Buffer.from(write({ project_name: 'shop', log }))
  for (const [name, char, bytes] of [
    ['ASCII', 'x', 1],
    ['a tick', '✓', 3],
    ['a line end', '\n', 1],
  ] as const) {
    const longest = char.repeat(Math.floor(LIMIT / bytes)) + 'x'.repeat(LIMIT % bytes)
    t.ok(readLogBody(bytesOf(longest)), name)
    t.throws(() => readLogBody(bytesOf(`${longest}x`)), { code: 'PAYLOAD_TOO_LARGE' }, name)
  }
  const half = 'x'.repeat(LIMIT - 3_000_000)
  t.ok(readLogBody(bytesOf(half + '✓'.repeat(1_000_000), escaped)), 'escapes of three bytes each, as large as may be')
  t.throws(() => readLogBody(bytesOf(half + '✓'.repeat(1_000_001), escaped)), { code: 'PAYLOAD_TOO_LARGE' })
})

test('what is no JSON, or reaches for a prototype, is malformed', async t => {
  for (const text of [
    '',
    '{',
    '{"log":"\u0001"}',
    '{"log":"x","__proto__":{"y":1}}',
    '{"\\u005f_proto__":1}',
    '{"constructor":{"prototype":{}}}',
  ]) {
    t.throws(() => readLogBody(Buffer.from(text)), { code: 'MALFORMED_JSON' }, text)
  }
})
