import { Type } from '@fastify/type-provider-typebox'
import { test } from 'tap'
import { CallFailure } from '../../../src/llm/client/call-failure.ts'
import { JsonFormats } from '../../../src/llm/json/json-format.ts'

const REFUSAL = new CallFailure('rejected', 'unknown field response_format', { status: 400 })
const strict = { name: 'x', schema: Type.Object({ a: Type.String() }, { additionalProperties: false }) }
const loose = { name: 'x', schema: Type.Object({ a: Type.Optional(Type.String()) }) }

test('a schema is asked for strictly only where it names all fields', async t => {
  const formats = new JsonFormats()
  const strictOf = (json: typeof strict | typeof loose) =>
    formats.of(json).fieldsFor('m').response_format?.json_schema.strict
  t.equal(strictOf(strict), true)
  t.equal(strictOf(loose), false)
  t.same(formats.of(undefined).fieldsFor('m'), {})
})

test('a refused format is left out of the next try, and once that worked, of all calls to the model', async t => {
  const formats = new JsonFormats()
  const call = formats.of(strict)
  t.match(call.failed('m', REFUSAL), { kind: 'rejected', mayPass: true, retryAfterMs: 0 })
  t.same(call.fieldsFor('m'), {})
  t.ok(call.fieldsFor('other').response_format)
  t.ok(formats.of(strict).fieldsFor('m').response_format, 'another reason may have been behind it')
  call.worked('m')
  t.same(formats.of(strict).fieldsFor('m'), {})
})

test('other failures stay what they are', async t => {
  const call = new JsonFormats().of(strict)
  for (const failure of [
    new CallFailure('unavailable', 'x'),
    new CallFailure('rejected', 'x', { status: 401 }),
    new CallFailure('too_large', 'x', { status: 400 }),
  ]) {
    t.equal(call.failed('m', failure), failure)
  }
  t.equal(call.failed('m', REFUSAL) === REFUSAL, false)
  t.equal(call.failed('m', REFUSAL), REFUSAL, 'without the format it is refused for something else')
})
