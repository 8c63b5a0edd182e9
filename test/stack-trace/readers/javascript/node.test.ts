import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

const VERSIONS = ['node-20', 'node-24']

/** Exceptions with their frames outside the runtime. */
function read(text: string) {
  const { exceptions, frames } = parseStackTrace(text)
  return exceptions.map(({ index, type, message, relation, count }) => ({
    head: `${relation} ${type}: ${message}${count > 1 ? ` ×${count}` : ''}`,
    frames: frames
      .filter(frame => frame.exception === index && frame.file?.startsWith('node:') !== true)
      .map(
        ({ file, line, column, function: name, repeat }) =>
          `${name} ${file}:${line}:${column}${repeat > 1 ? ` ×${repeat}` : ''}`,
      ),
  }))
}

test('an uncaught error: frames outermost first; its header gives the code and is no second frame', async t => {
  for (const version of VERSIONS) {
    const text = readTrace(`${version}-plain`)
    t.same(
      read(text),
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
      read(readTrace(`${version}-async`))[0]?.frames,
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

test('constructors and native callers', async t => {
  for (const version of VERSIONS) {
    t.same(
      read(readTrace(`${version}-new`))[0]?.frames,
      [
        'Timeout._onTimeout /tmp/app/js/new.js:3:22',
        'Array.forEach null:null:null',
        'open /tmp/app/js/new.js:2:20',
        'new Till /tmp/app/js/lib/cart.js:12:16',
        'total /tmp/app/js/lib/cart.js:2:21',
      ],
      version,
    )
  }
})

test('nested causes are exceptions with frames of their own; properties are not', async t => {
  for (const version of VERSIONS) {
    const found = read(readTrace(`${version}-cause`))
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
    const found = read(readTrace(`${version}-aggregate`))
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

test('evaluated code stands where eval was called', async t => {
  for (const version of VERSIONS) {
    const found = read(readTrace(`${version}-eval`))
    t.same(found[0]?.frames.slice(-2), ['build /tmp/app/js/eval.js:2:10', 'eval /tmp/app/js/eval.js:2:10'], version)
    t.equal(found[1]?.frames.at(-1), 'eval /tmp/app/js/eval.js:4:16')
  }
})

test('where only the runtime is in the stack, the header is the failing frame', async t => {
  for (const version of VERSIONS) {
    const [syntax] = read(readTrace(`${version}-syntax`))
    t.equal(syntax?.head, "root SyntaxError: Unexpected token '{'", version)
    t.equal(syntax?.frames.at(-1), 'null /tmp/app/js/broken.js:2:null')
    t.same(read(readTrace(`${version}-string`)), [
      { head: 'root null: out of stock', frames: ['null /tmp/app/js/string.js:2:null'] },
    ])
  }
})

test('an error thrown again elsewhere keeps the frames of its origin', async t => {
  for (const version of VERSIONS) {
    t.equal(read(readTrace(`${version}-rethrow`))[0]?.frames.at(-1), 'total /tmp/app/js/lib/cart.js:2:21', version)
  }
})

test('recursion is one frame with a count', async t => {
  for (const version of VERSIONS) {
    t.same(
      read(readTrace(`${version}-recursion`))[0]?.frames,
      ['walk /tmp/app/js/recursion.js:2:10 ×9', 'walk /tmp/app/js/recursion.js:2:3'],
      version,
    )
  }
})

test('Node.js 18 to 26: causes, console.trace and members that failed in their own ways', async t => {
  for (const version of ['node-18', 'node-22', 'node-24', 'node-26']) {
    t.same(
      read(readTrace(`${version}-async-cause`)).map(({ head, frames }) => [head, frames.at(-1)]),
      [
        ['root Error: cannot pay', 'checkout /srv/app/javascript/cart.js:13:11'],
        [
          "cause TypeError: Cannot read properties of undefined (reading 'price')",
          'price /srv/app/javascript/cart.js:2:23',
        ],
      ],
      version,
    )
    t.equal(read(readTrace(`${version}-trace`))[0]?.frames.at(-1), 'outer /srv/app/javascript/trace.js:3:11', version)
    t.same(
      read(readTrace(`${version}-any`)).map(({ head, frames }) => [head, frames.at(-1)]),
      [
        ['root AggregateError: All promises were rejected', undefined],
        ['grouped Error: first mirror is down', 'first /srv/app/javascript/aggregate.js:2:9'],
        ['grouped RangeError: second mirror is slow', 'second /srv/app/javascript/aggregate.js:6:9'],
      ],
      version,
    )
  }
})

test('components above the one that failed, with the error', async t => {
  t.same(
    read(readTrace('react-19-component')).map(({ frames }) => frames.at(-1)),
    ['Price /srv/app/javascript/component.js:7:48', 'Price /srv/app/javascript/component.js:6:19'],
  )
})

test('codes, messages with blank lines and errors of the file system', async t => {
  for (const version of VERSIONS) {
    t.same(
      read(readTrace(`${version}-code`)).map(({ head }) => head),
      [
        'root AssertionError: Expected values to be strictly equal:\n\n1 !== 2',
        "root Error: ENOENT: no such file or directory, open '/missing/file'",
      ],
      version,
    )
  }
})

test('text before the error, equal errors, own error classes and errors without a message', async t => {
  for (const version of VERSIONS) {
    t.same(
      read(readTrace(`${version}-console`)).map(({ head }) => head),
      [
        "root TypeError: Cannot read properties of undefined (reading 'reduce') ×3",
        'root ShopError: closed',
        'root Error: null',
      ],
      version,
    )
  }
})

test('a rejection with something that is no error', async t => {
  for (const version of VERSIONS) {
    t.match(
      read(readTrace(`${version}-rejection`))[0]?.head,
      /^root UnhandledPromiseRejection: .*"#<Object>"\.$/,
      version,
    )
  }
})

test('test runners: the message above the code, the code at its frame, causes', async t => {
  const jest = parseStackTrace(readTrace('jest-29-report'))
  t.same(
    jest.exceptions.map(({ relation, type, message }) => `${relation} ${type}: ${message}`),
    [
      'root Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 5\nReceived: 4',
      "root TypeError: Cannot read properties of undefined (reading 'price')",
      'root Error: cannot pay',
      "cause TypeError: Cannot read properties of undefined (reading 'price')",
      'root Error: expect(received).rejects.toThrow()\n\nReceived promise resolved instead of rejected\nResolved to value: 1',
    ],
  )
  t.same(
    jest.frames
      .filter(({ sourceText }) => sourceText !== null)
      .map(({ file, line, sourceText }) => [file, line, sourceText])
      .slice(0, 2),
    [
      ['jest/cart.test.js', 5, 'expect(total([{ product: { price: 2 }, count: 2 }])).toBe(5)'],
      ['cart.js', 2, 'return line.product.price * line.count'],
    ],
  )
  t.same(
    read(readTrace('mocha-10-report')).map(({ head }) => head.split('\n')[0]),
    [
      'root AssertionError: Expected values to be strictly equal:',
      "root TypeError: Cannot read properties of undefined (reading 'price')",
      'root Error: cannot pay',
      "cause TypeError: Cannot read properties of undefined (reading 'price')",
    ],
  )
  t.equal(read(readTrace('node-24-test-spec')).length, 3)
})

test('Bun and Deno: their head, the code above or below it, native callers', async t => {
  t.same(
    read(readTrace('bun-1-cause')).map(({ head, frames }) => [head, frames.at(-1)]),
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
  t.same(read(readTrace('deno-2-uncaught')), [
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
    read(readTrace('pino-9-log')).map(({ head }) => head),
    ['root Error: cannot pay', "cause TypeError: Cannot read properties of undefined (reading 'price')"],
  )
})

test('console.trace, rows that source maps lead elsewhere, stacks that a library joined', async t => {
  t.same(read(readTrace('node-24-trace')), [
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
    read(
      'Error: boom\n    at f (/srv/dist/x.js:1:2)\n        -> src/x.ts:3:4\n    at g (/srv/dist/y.js:5:6)\nFrom previous event:\n    at h (/srv/dist/z.js:7:8)\n',
    )[0]?.frames,
    ['h /srv/dist/z.js:7:8', 'g /srv/dist/y.js:5:6', 'f src/x.ts:3:4'],
  )
})

test('code without a file: consoles, the command line, workers, WebAssembly', async t => {
  t.same(
    read(
      'Error: x\n    at <anonymous>:1:7\n    at [eval]:1:3\n    at evalmachine.<anonymous>:2:1\n    at REPL3:1:9\n    at run (wasm://wasm/000a1b2c:wasm-function[3]:0x1f)\n',
    )[0]?.frames,
    [
      'run wasm://wasm/000a1b2c:wasm-function[3]:0x1f:null:null',
      'null REPL3:1:9',
      'null evalmachine.<anonymous>:2:1',
      'null [eval]:1:3',
      'null <anonymous>:1:7',
    ],
  )
})

test('bundles that keep the module as a URL', async t => {
  t.same(
    read(
      'Error: x\n    at f (webpack-internal:///./src/a.js:3:4)\n    at g (webpack://shop/src/b.ts?:5:6)\n    at h (file:///C:/shop/c.mjs:7:8)\n',
    )[0]?.frames,
    ['h file:///C:/shop/c.mjs:7:8', 'g webpack://shop/src/b.ts?:5:6', 'f webpack-internal:///./src/a.js:3:4'],
  )
})

test('Windows paths, folders with spaces and parentheses, methods with an alias', async t => {
  const text =
    'Error: x\n    at Shop.sell [as trade] (C:\\My App (old)\\src\\shop.js:3:4)\n    at C:\\My App (old)\\main.js:1:2'
  t.same(read(text)[0]?.frames, [
    'null C:\\My App (old)\\main.js:1:2',
    'Shop.sell [as trade] C:\\My App (old)\\src\\shop.js:3:4',
  ])
})

test("a test runner's report: the message above the code frame, the stack below it", async t => {
  const text =
    '  ● cart › totals\n\n    expected 3\n\n      11 |   it("totals", () => {\n    > 12 |     fail()\n         |     ^\n      13 |   })\n\n      at Object.<anonymous> (src/cart.test.js:12:5)\n      at run (node_modules/runner/run.js:1:2)\n'
  t.same(read(text), [
    {
      head: 'root Error: expected 3',
      frames: ['run node_modules/runner/run.js:1:2', 'Object.<anonymous> src/cart.test.js:12:5'],
    },
  ])
})

test('lines of other runtimes and prose that begin with "at" are no frames', async t => {
  for (const line of [
    'at com.shop.Cart.total(Cart.java:12)',
    'at Shop.Cart.Total(Int32 n) in C:\\src\\Cart.cs:line 12',
    'at /rustc/abc/library/std/src/panicking.rs:652:5',
    'at bgpd/main.c:565',
    'at 10:30:15',
    'at home (12:30:11)',
    'at noon (see below)',
  ]) {
    t.notOk(
      parseStackTrace(`    ${line}`).exceptions.some(({ language }) => language === 'javascript'),
      line,
    )
  }
})

test("a bundler's message stands above the code, however wide its margin", async t => {
  t.match(
    parseStackTrace(readTrace('vite-2-resolve')).exceptions.map(({ message }) => message),
    [/^\[vite\] Internal server error: Failed to resolve import/],
  )
})

test('a runner that draws the rows of the message again adds none; what no one caught gives way to the error', async t => {
  t.same(
    read(readTrace('vitest-drawn-again')).map(({ head }) => head),
    ['root NetworkError: Error: connect ECONNREFUSED ::1:3000'],
  )
  t.same(
    read('error - uncaughtException: TypeError: no till\n    at f (/srv/a.js:1:2)').map(({ head }) => head),
    ['root TypeError: no till'],
  )
})

test('a stack goes on behind what it awaited', async t => {
  t.same(
    read('TypeError: no till\n    at f (/srv/a.js:1:2)\n--- awaited here ---\n    at g (/srv/a.js:3:4)')[0]?.frames,
    ['g /srv/a.js:3:4', 'f /srv/a.js:1:2'],
  )
  t.same(read('f @ app.js:12\nsetTimeout (async)\ng @ app.js:3\nawait in g\nh @ app.js:9')[0]?.frames, [
    'h app.js:9:null',
    'g app.js:3:null',
    'f app.js:12:null',
  ])
})

test('Jest leaves "Error" out; what is thrown and is no error has no type', async t => {
  t.same(
    read('  ● cart › pays\n\n    no till\n\n      at pay (cart.js:2:3)').map(({ head }) => head),
    ['root Error: no till'],
  )
  t.same(
    read('  ● cart › pays\n\n    thrown: "no till"\n\n      at pay (cart.js:2:3)').map(({ head }) => head),
    ['root null: thrown: "no till"'],
  )
})
