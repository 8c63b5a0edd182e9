import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readNode, VERSIONS } from '../../../helpers/node-traces.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { shown } from '../../../helpers/shown-trace.ts'

test('nested causes are exceptions with frames of their own; properties are not', async t => {
  for (const version of VERSIONS) {
    const found = readNode(readTrace(`${version}-cause`))
    t.same(
      found.map(({ head }) => head.replace(/ \(line.*/, '')),
      [
        'root TypeError: cannot start:\n  no settings',
        'cause Error: settings are not JSON',
        "cause SyntaxError: Expected property name or '}' in JSON at position 1",
      ],
      version,
    )
    t.same(found[1]?.frames.slice(-2), [
      'start file:///tmp/app/js/cause.mjs:13:11',
      'settings file:///tmp/app/js/cause.mjs:7:11',
    ])
    t.same(found[2]?.frames.at(-1), 'JSON.parse null:null:null')
    t.ok(parseStackTrace(readTrace(`${version}-cause`)).exceptions.every(({ chain }) => chain === 0))
  }
})

test('the errors of an AggregateError are grouped under it', async t => {
  for (const version of VERSIONS) {
    const found = readNode(readTrace(`${version}-aggregate`))
    t.same(
      found.map(({ head }) => head),
      [
        'root AggregateError: All promises were rejected',
        'grouped Error: first mirror is down',
        'grouped RangeError: second mirror is slow',
      ],
      version,
    )
    t.same(
      found.map(({ frames }) => frames.at(-1)),
      [undefined, 'first /tmp/app/js/aggregate.js:1:43', 'second /tmp/app/js/aggregate.js:2:44'],
    )
  }
})

test('Node.js 18 to 26: causes, console.trace and members that failed in their own ways', async t => {
  for (const version of ['node-18', 'node-22', 'node-24', 'node-26']) {
    t.same(
      readNode(readTrace(`${version}-async-cause`)).map(({ head, frames }) => [head, frames.at(-1)]),
      [
        ['root Error: cannot pay', 'checkout /srv/app/javascript/cart.js:13:11'],
        [
          "cause TypeError: Cannot read properties of undefined (reading 'price')",
          'price /srv/app/javascript/cart.js:2:23',
        ],
      ],
      version,
    )
    t.equal(
      readNode(readTrace(`${version}-trace`))[0]?.frames.at(-1),
      'outer /srv/app/javascript/trace.js:3:11',
      version,
    )
    t.same(
      readNode(readTrace(`${version}-any`)).map(({ head, frames }) => [head, frames.at(-1)]),
      [
        ['root AggregateError: All promises were rejected', undefined],
        ['grouped Error: first mirror is down', 'first /srv/app/javascript/aggregate.js:2:9'],
        ['grouped RangeError: second mirror is slow', 'second /srv/app/javascript/aggregate.js:6:9'],
      ],
      version,
    )
  }
})

test('the message of a cause goes on up to its stack', async t => {
  t.same(
    shown(
      [
        'Error: outer',
        '    at pay (/srv/app/pay.js:3:9) {',
        '  [cause]: Error: inner',
        '  goes on',
        '      at read (/srv/app/read.js:7:3)',
        '}',
      ].join('\n'),
    ),
    [
      { head: 'root Error: outer', frames: ['/srv/app/pay.js:3:9 pay'] },
      { head: 'cause Error: inner\ngoes on', frames: ['/srv/app/read.js:7:3 read'] },
    ],
  )
})
