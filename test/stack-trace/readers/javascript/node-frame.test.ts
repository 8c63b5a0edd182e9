import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readNode, VERSIONS } from '../../../helpers/node-traces.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { shown } from '../../../helpers/shown-trace.ts'

test('constructors and native callers', async t => {
  for (const version of VERSIONS) {
    t.same(
      readNode(readTrace(`${version}-new`))[0]?.frames,
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

test('evaluated code stands where eval was called', async t => {
  for (const version of VERSIONS) {
    const found = readNode(readTrace(`${version}-eval`))
    t.same(found[0]?.frames.slice(-2), ['build /tmp/app/js/eval.js:2:10', 'eval /tmp/app/js/eval.js:2:10'], version)
    t.equal(found[1]?.frames.at(-1), 'eval /tmp/app/js/eval.js:4:16')
  }
})

test('code without a file: consoles, the command line, workers, WebAssembly', async t => {
  t.same(
    readNode(
      'Error: x\n    at <anonymous>:1:7\n    at [eval]:1:3\n    at evalmachine.<anonymous>:2:1\n' +
        '    at REPL3:1:9\n    at run (wasm://wasm/000a1b2c:wasm-function[3]:0x1f)\n',
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
    readNode(
      'Error: x\n    at f (webpack-internal:///./src/a.js:3:4)\n    at g (webpack://shop/src/b.ts?:5:6)\n' +
        '    at h (file:///C:/shop/c.mjs:7:8)\n',
    )[0]?.frames,
    ['h file:///C:/shop/c.mjs:7:8', 'g webpack://shop/src/b.ts?:5:6', 'f webpack-internal:///./src/a.js:3:4'],
  )
})

test('Windows paths, folders with spaces and parentheses, methods with an alias', async t => {
  const text =
    'Error: x\n    at Shop.sell [as trade] (C:\\My App (old)\\src\\shop.js:3:4)\n    at C:\\My App (old)\\main.js:1:2'
  t.same(readNode(text)[0]?.frames, [
    'null C:\\My App (old)\\main.js:1:2',
    'Shop.sell [as trade] C:\\My App (old)\\src\\shop.js:3:4',
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

test('a column that symbolication made a name of, and a row without a name or a place', async t => {
  t.same(shown(['Error: no', '    at total (/srv/app/cart.js:12:total)', '    at <anonymous>'].join('\n')), [
    { head: 'root Error: no', frames: ['-:- -', '/srv/app/cart.js:12 total'] },
  ])
})
