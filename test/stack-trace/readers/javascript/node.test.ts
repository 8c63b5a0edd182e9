import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readNode, VERSIONS } from '../../../helpers/node-traces.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

test('an uncaught error: frames outermost first; its header gives the code and is no second frame', async t => {
  for (const version of VERSIONS) {
    const text = readTrace(`${version}-plain`)
    t.same(
      readNode(text),
      [
        {
          head: "root TypeError: Cannot read properties of null (reading 'reduce')",
          frames: [
            'Object.<anonymous> /tmp/app/js/plain.js:7:1',
            'main /tmp/app/js/plain.js:4:15',
            'total /tmp/app/js/lib/cart.js:2:21',
          ],
        },
      ],
      version,
    )
    const { frames } = parseStackTrace(text)
    t.equal(frames.at(-1)?.sourceText, 'return cart.lines.reduce((sum, line) => sum + line.price, 0)')
    t.same(
      frames.map(({ index }) => index),
      frames.map((_, index) => index),
    )
    t.equal(frames[0]?.file?.startsWith('node:internal/'), true)
  }
})

test('async frames, modules by URL and frames without a function', async t => {
  for (const version of VERSIONS) {
    t.same(
      readNode(readTrace(`${version}-async`))[0]?.frames,
      [
        'null file:///tmp/app/js/async.mjs:7:1',
        'pay file:///tmp/app/js/async.mjs:4:10',
        'checkout /tmp/app/js/lib/cart.js:7:10',
        'total /tmp/app/js/lib/cart.js:2:21',
      ],
      version,
    )
  }
})

test('where only the runtime is in the stack, the header is the failing frame', async t => {
  for (const version of VERSIONS) {
    const [syntax] = readNode(readTrace(`${version}-syntax`))
    t.equal(syntax?.head, "root SyntaxError: Unexpected token '{'", version)
    t.equal(syntax?.frames.at(-1), 'null /tmp/app/js/broken.js:2:null')
    t.same(readNode(readTrace(`${version}-string`)), [
      { head: 'root null: out of stock', frames: ['null /tmp/app/js/string.js:2:null'] },
    ])
  }
})

test('an error thrown again elsewhere keeps the frames of its origin', async t => {
  for (const version of VERSIONS) {
    t.equal(readNode(readTrace(`${version}-rethrow`))[0]?.frames.at(-1), 'total /tmp/app/js/lib/cart.js:2:21', version)
  }
})

test('recursion is one frame with a count', async t => {
  for (const version of VERSIONS) {
    t.same(
      readNode(readTrace(`${version}-recursion`))[0]?.frames,
      ['walk /tmp/app/js/recursion.js:2:10 ×9', 'walk /tmp/app/js/recursion.js:2:3'],
      version,
    )
  }
})

test('components above the one that failed, with the error', async t => {
  t.same(
    readNode(readTrace('react-19-component')).map(({ frames }) => frames.at(-1)),
    ['Price /srv/app/javascript/component.js:7:48', 'Price /srv/app/javascript/component.js:6:19'],
  )
})

test('a rejection with something that is no error', async t => {
  for (const version of VERSIONS) {
    t.match(
      readNode(readTrace(`${version}-rejection`))[0]?.head,
      /^root UnhandledPromiseRejection: .*"#<Object>"\.$/,
      version,
    )
  }
})

test('Bun and Deno: their head, the code above or below it, native callers', async t => {
  t.same(
    readNode(readTrace('bun-1-cause')).map(({ head, frames }) => [head, frames.at(-1)]),
    [
      ['root Error: cannot pay', 'checkout /srv/app/javascript/cart.js:13:15'],
      [
        "root TypeError: undefined is not an object (evaluating 'line.product.price')",
        'price /srv/app/javascript/cart.js:2:15',
      ],
    ],
  )
  t.equal(
    parseStackTrace(readTrace('bun-1-cause')).frames.find(({ line }) => line === 13)?.sourceText,
    "throw new Error('cannot pay', { cause: error })",
  )
  t.same(readNode(readTrace('deno-2-uncaught')), [
    {
      head: "root TypeError: Cannot read properties of undefined (reading 'price')",
      frames: [
        'null file:///srv/app/javascript/uncaught.ts:12:1',
        'main file:///srv/app/javascript/uncaught.ts:9:15',
        'price file:///srv/app/javascript/uncaught.ts:4:23',
      ],
    },
  ])
})

test('events of a logger: stack and causes of each error', async t => {
  t.same(
    readNode(readTrace('pino-9-log')).map(({ head }) => head),
    ['root Error: cannot pay', "cause TypeError: Cannot read properties of undefined (reading 'price')"],
  )
})

test('console.trace, rows that source maps lead elsewhere, stacks that a library joined', async t => {
  t.same(readNode(readTrace('node-24-trace')), [
    {
      head: 'root Trace: here 0',
      frames: [
        'Object.<anonymous> /srv/app/javascript/trace.js:6:1',
        'outer /srv/app/javascript/trace.js:2:21 ×2',
        'outer /srv/app/javascript/trace.js:3:11',
      ],
    },
  ])
  t.same(
    readNode(
      'Error: boom\n    at f (/srv/dist/x.js:1:2)\n        -> src/x.ts:3:4\n    at g (/srv/dist/y.js:5:6)\n' +
        'From previous event:\n    at h (/srv/dist/z.js:7:8)\n',
    )[0]?.frames,
    ['h /srv/dist/z.js:7:8', 'g /srv/dist/y.js:5:6', 'f src/x.ts:3:4'],
  )
})

test(
  'a runner that draws the rows of the message again adds none; what no one caught gives way to the ' + 'error',
  async t => {
    t.same(
      readNode(readTrace('vitest-drawn-again')).map(({ head }) => head),
      ['root NetworkError: Error: connect ECONNREFUSED ::1:3000'],
    )
    t.same(
      readNode('error - uncaughtException: TypeError: no till\n    at f (/srv/a.js:1:2)').map(({ head }) => head),
      ['root TypeError: no till'],
    )
  },
)

test('a stack goes on behind what it awaited', async t => {
  t.same(
    readNode('TypeError: no till\n    at f (/srv/a.js:1:2)\n--- awaited here ---\n    at g (/srv/a.js:3:4)')[0]?.frames,
    ['g /srv/a.js:3:4', 'f /srv/a.js:1:2'],
  )
  t.same(readNode('f @ app.js:12\nsetTimeout (async)\ng @ app.js:3\nawait in g\nh @ app.js:9')[0]?.frames, [
    'h app.js:9:null',
    'g app.js:3:null',
    'f app.js:12:null',
  ])
})
