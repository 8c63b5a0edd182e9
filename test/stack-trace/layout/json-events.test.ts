import fc from 'fast-check'
import { test } from 'tap'
import { jsonEvent } from '../../../src/stack-trace/layout/json-events.ts'
import { shown } from '../../helpers/shown-trace.ts'

const PYTHON = {
  exc_info: 'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f\n    g()\nKeyError: 1',
}

test("an error tracker's event: its exceptions with their frames, the reported one last", async t => {
  const event = {
    platform: 'python',
    exception: {
      values: [
        {
          type: 'KeyError',
          value: "'price'",
          stacktrace: {
            frames: [
              {
                filename: 'shop.py',
                abs_path: '/srv/shop.py',
                function: 'pay',
                lineno: 12,
                context_line: '    total()',
              },
              { filename: 'cart.py', function: 'total', lineno: 6 },
            ],
          },
        },
        {
          type: 'RuntimeError',
          value: 'cannot pay',
          stacktrace: { frames: [{ filename: 'shop.py', function: 'pay', lineno: 14, colno: 3 }] },
        },
      ],
    },
  }
  for (const text of [
    JSON.stringify(event),
    JSON.stringify(event, null, 2),
    `2026-11-21T22:20:01Z ERROR event ${JSON.stringify(event)}`,
  ]) {
    t.same(shown(text), [
      { head: "cause KeyError: 'price'", frames: ['/srv/shop.py:12 pay | total()', 'cart.py:6 total'] },
      { head: 'root RuntimeError: cannot pay', frames: ['shop.py:14:3 pay'] },
    ])
  }
})

test('members of a group are grouped, and a list that begins with the failing line is turned round', async t => {
  const group = {
    exception: {
      values: [
        {
          type: 'ValueError',
          value: 'a',
          mechanism: { exception_id: 1, parent_id: 0 },
          stacktrace: { frames: [{ filename: 'a.py', lineno: 1 }] },
        },
        {
          type: 'ExceptionGroup',
          value: 'two',
          mechanism: { exception_id: 0, is_exception_group: true },
          stacktrace: { frames: [{ filename: 'b.py', lineno: 2 }] },
        },
      ],
    },
  }
  t.same(
    shown(JSON.stringify(group)).map(({ head }) => head),
    ['grouped ValueError: a', 'root ExceptionGroup: two'],
  )
  const notice = {
    events: [
      {
        exceptions: [
          {
            errorClass: 'TypeError',
            message: 'x',
            stacktrace: [
              { file: 'b.js', lineNumber: 2, method: 'inner' },
              { file: 'a.js', lineNumber: 1, method: 'outer' },
            ],
          },
        ],
      },
    ],
  }
  t.same(shown(JSON.stringify(notice)), [{ head: 'root TypeError: x', frames: ['a.js:1 outer', 'b.js:2 inner'] }])
})

test('events of structured logs: a stack as text, as a list, as a string of JSON, and the message before it', async t => {
  t.same(shown(JSON.stringify(PYTHON)), [{ head: 'root KeyError: 1', frames: ['/srv/a.py:3 f | g()'] }])
  t.same(
    shown(
      JSON.stringify({
        name: 'shop',
        msg: 'failed',
        err: { name: 'TypeError', message: 'x', stack: 'TypeError: x\n    at f (/a.js:1:2)' },
      }),
    ),
    [{ head: 'root TypeError: x', frames: ['/a.js:1:2 f'] }],
  )
  t.same(shown(JSON.stringify({ error: 'TypeError: x', trace: ['at f (/a.js:1:2)', 'at g (/b.js:3:4)'] })), [
    { head: 'root TypeError: x', frames: ['/b.js:3:4 g', '/a.js:1:2 f'] },
  ])
  t.same(shown(JSON.stringify({ body: JSON.stringify(PYTHON) })).length, 1)
})

test('one event a line, each with a line of the text: they are put together', async t => {
  const text = 'KeyError: 1\n    at f (/a.js:1:2)\n    at g (/b.js:3:4)'
  t.same(
    shown(
      text
        .split('\n')
        .map(line => JSON.stringify({ log: `${line}\n`, stream: 'stderr' }))
        .join('\n'),
    ),
    shown(text),
  )
})

test('what is no JSON, says nothing, or nests without end is no event', async t => {
  for (const text of ['{', '{}', '{"a":1}', '[]', '12', '{"a":'.repeat(100_000), '['.repeat(1 << 20)]) {
    t.equal(jsonEvent(text), null, text.slice(0, 20))
  }
})

test('any JSON value is read without an error', async t => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      jsonEvent(JSON.stringify({ exception: value, stack: value, frames: value, log: value }))
      return true
    }),
  )
  t.pass('none threw')
})

test('a method of the JVM has its class; numbers may be text; frames may stand beside the type', async t => {
  t.same(
    shown(
      '{"platform":"java","exception":{"values":[{"type":"E","value":"no","stacktrace":{"frames":[{"filename":"Till.kt","lineno":"9","module":"com.acme.Till","function":"open"},{"filename":"a.py","lineno":-1,"module":"a","function":"f"}]}}]}}',
    ),
    [{ head: 'root E: no', frames: ['Till.kt:9 com.acme.Till.open', 'a.py:- f'] }],
  )
  t.same(shown('{"type":"E","message":"no","frames":[{"file":"a.py","line":3,"method":"f"}]}'), [
    { head: 'root E: no', frames: ['a.py:3 f'] },
  ])
  t.same(shown('{"Action":"output","ImportPath":"acme/shop","Output":"./main.go:3:5: undefined: pay\\n"}'), [
    { head: 'root error: undefined: pay', frames: ['./main.go:3:5 -'] },
  ])
})

test("a line of Go's test runner names a package; what only looks like one is an event", async t => {
  const isPiece = (value: object) => jsonEvent(JSON.stringify(value))?.isPiece
  const lines = (value: object) => jsonEvent(JSON.stringify(value))?.lines
  t.equal(isPiece({ Action: 'pass', Package: 'acme' }), true)
  t.equal(isPiece({ Action: 'fail', ImportPath: 'acme' }), true)
  t.equal(isPiece({ Action: 'fail' }), undefined)
  t.equal(isPiece({ Action: 'else', Package: 'acme' }), undefined)
  t.same(lines({ Action: 'output', Package: 'acme', Output: 'a\r\n' }), ['a'])
  t.same(lines({ Action: 'output', Package: 'acme', Output: 'a\nb' }), ['a', 'b'])
  t.same(lines({ Action: 'pass', Package: 'acme', Test: 'T' }), [])
})

test('what is no frame in a list of frames is passed over', async t => {
  const frame = { file: 'a.py', line: 3, method: 'f' }
  for (const other of [null, 7, 'text', [], {}, { line: 3 }]) {
    t.same(shown(JSON.stringify({ type: 'E', message: 'no', frames: [other, frame, other] })), [
      { head: 'root E: no', frames: ['a.py:3 f'] },
    ])
  }
})
