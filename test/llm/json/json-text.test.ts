import fc from 'fast-check'
import { test } from 'tap'
import { jsonValuesIn } from '../../../src/llm/json/json-text.ts'
import { scaled } from '../../helpers/property-runs.ts'

const FOUND: Array<[what: string, reply: string, values: unknown[]]> = [
  ['the value alone', ' {"a": 1}\n', [{ a: 1 }]],
  ['in a fence', '```json\n{"a": "```"}\n```', [{ a: '```' }]],
  ['in a fence that is not closed', '```\n[1, 2]', [[1, 2]]],
  ['with prose around it', 'Here it is:\n{"a": {"b": [1]}} - I hope that helps :}', [{ a: { b: [1] } }]],
  ['brackets in strings', 'x {"a": "}{][\\"", "b": "\\\\"} y', [{ a: '}{]["', b: '\\' }]],
  ['behind a bracket that never closes', 'use { with care: {"a": 1}', [{ a: 1 }]],
  ['several', 'first {"a": 1}, better [2]', [{ a: 1 }, [2]]],
  ['after thoughts', '<think>maybe {"a": 0}?</think>\n{"a": 1}', [{ a: 1 }]],
  ['a byte order mark', '\uFEFF{"a": 1}', [{ a: 1 }]],
]

for (const [what, reply, values] of FOUND) {
  test(`found: ${what}`, async t => {
    t.same(jsonValuesIn(reply).values, values)
  })
}

test('what is no JSON says why', async t => {
  t.match(jsonValuesIn('I cannot do that.'), { values: [], problem: 'It holds no JSON.' })
  t.match(jsonValuesIn('{"a": [1, 2'), { values: [], problem: /does not end/ })
  t.match(jsonValuesIn("{'a': 1}"), { values: [], problem: /JSON/ })
})

test('a name that would reach the prototype is refused, however it is written', async t => {
  for (const reply of [
    '{"__proto__": {"x": 1}}',
    '{"a": {"\\u005f_proto__": {"x": 1}}}',
    'here: {"constructor": {"prototype": {"x": 1}}}',
  ]) {
    t.match(jsonValuesIn(reply), { values: [], problem: /forbidden/ }, reply)
  }
})

test('any value is found again between words', async t => {
  const value = fc.oneof(
    fc.array(fc.jsonValue()),
    fc.dictionary(
      fc.string().filter(name => name !== '__proto__' && name !== 'constructor'),
      fc.jsonValue(),
    ),
  )
  const prose = fc.string().map(text => text.replace(/["[\]{}]/g, ''))
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(value, prose, prose, (json, before, after) => {
        const text = JSON.stringify(json)
        if (/__proto__|constructor/.test(text)) return
        t.strictSame(jsonValuesIn(`${before}\n${text}\n${after}`).values, [JSON.parse(text)])
      }),
    ),
  )
})

test('hostile megabytes are read, for which looking for each end anew would take hours', async t => {
  for (const unit of ['{', '[', '"', '{"', '{"a":', '[]', '{]', '\\"', '<think>', '[{"a":"\\', '}']) {
    const { values, problem } = jsonValuesIn(unit.repeat(Math.ceil(scaled(2_000_000) / unit.length)))
    t.equal(values.length > 0, problem === '', JSON.stringify(unit))
  }
})
