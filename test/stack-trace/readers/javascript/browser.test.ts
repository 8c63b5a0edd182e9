import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { shown } from '../../../helpers/shown-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'

test('Firefox: minified names, owners, code from eval, joints of async calls', async t => {
  t.same(shown(readTrace('firefox-46-minified')), [
    {
      head: 'root SyntaxError: JSON.parse: unexpected character at line 1 column 1 of the JSON data',
      frames: [
        'https://demo.reactstarterkit.com/main.689b5dd2d3edfb0ccc1e.js:35:3370 v',
        'https://demo.reactstarterkit.com/main.689b5dd2d3edfb0ccc1e.js:35:12266 Q',
        'https://demo.reactstarterkit.com/main.689b5dd2d3edfb0ccc1e.js:35:12157 a',
      ],
    },
  ])
  t.same(
    shown(
      'pay/<@https://x.test/a.js:3:4\nasync*run@https://x.test/a.js:5:6\n@https://x.test/m.js line 3 > eval:1:1\n',
    )[0]?.frames,
    ['https://x.test/m.js:3 -', 'https://x.test/a.js:5:6 run', 'https://x.test/a.js:3:4 pay'],
  )
})

test('Safari: code without a function, native code, its console, and what a tracker shows', async t => {
  t.same(
    shown(
      'TypeError: null\nforEach@[native code]\ntotal@https://x.test/a.js:12:21\nforEach@[native code]\n' +
        'global code@https://x.test/a.js:20:1\n',
    )[0]?.frames,
    ['https://x.test/a.js:20:1 global code', '-:- forEach', 'https://x.test/a.js:12:21 total'],
  )
  t.same(shown(readTrace('safari-8-console'))[0]?.frames, [
    'demo.js:93 execute',
    'demo.js:8 log',
    'consolelog.js:146 log',
    'consolelog.js:99 _getLineFromStack',
  ])
  t.same(shown(readTrace('safari-reported'))[0]?.frames, [
    '-:- promiseReactionJob',
    './src/common/services/api.js:65:18 -',
  ])
})

test('Hermes: addresses of compiled code, native code, and rows after symbolication', async t => {
  t.same(
    shown(
      "TypeError: Cannot read property 'x' of undefined\n" +
        '    at render (address at index.android.bundle:1:452113)\n    at apply (native)\n',
    )[0]?.frames,
    ['-:- apply', 'index.android.bundle:1:452113 render'],
  )
  const [symbolicated] = shown(readTrace('hermes-symbolicated'))
  t.equal(symbolicated?.frames.length, 8)
  t.equal(symbolicated?.frames.at(-1), '/home/circleci/project/src/app/utils/DevMenu.tsx:235 onPress')
})

test('rows copied from a console, and the trace below them', async t => {
  const found = shown(readTrace('chrome-copied'))
  t.equal(found[0]?.frames.length, 21)
  t.same(found[0]?.frames.slice(8, 9), ['react-dom.development.js:20214 -'])
  t.same(found[1], {
    head: "root TypeError: Cannot read property 'substr' of undefined",
    frames: ['utils.js:15 startsWith'],
  })
})

test("components that React printed, out of a phone's log", async t => {
  const [component] = shown(readTrace('react-native-component'))
  t.equal(component?.frames.length, 14)
  t.same([component?.frames[0], component?.frames.at(-1)], ['index.js:16 Router', 'StackViewLayout.js:470 View'])
})

test('test runners that draw their rows: vitest with code and causes, ava', async t => {
  const vitest = shown(readTrace('vitest-2-report'))
  t.same(vitest[1], {
    head: "root TypeError: Cannot read properties of undefined (reading 'price')",
    frames: [
      'vitest/cart.test.js:12:5 -',
      'cart.js:6:16 total',
      'cart.js:6:44 -',
      'cart.js:2:23 price | return line.product.price * line.count',
    ],
  })
  t.same(
    vitest.slice(2, 4).map(({ head }) => head),
    ['root Error: cannot pay', "cause TypeError: Cannot read properties of undefined (reading 'price')"],
  )
  t.same(shown(readTrace('ava-6-report'))[0]?.frames, ['file://ava/cart.mjs:5:5 -'])
})

test('addresses of mail and of git are no frames', async t => {
  for (const line of [
    'write to ann@shop.example:22',
    'git@github.com:acme/shop.git',
    'fatal: ann@host:/srv/shop: 12',
  ]) {
    t.same(parseStackTrace(line).frames, [], line)
  }
})

test('rendered rows of Firefox are read back as they were, reversed', async t => {
  const name = fc.stringMatching(/^[a-z_$][a-z0-9_$]{0,10}$/)
  const frame = fc.record({
    name,
    path: name,
    line: fc.integer({ min: 1, max: 9999 }),
    column: fc.integer({ min: 1, max: 99_999 }),
  })
  fc.assert(
    fc.property(
      fc.uniqueArray(frame, { minLength: 1, maxLength: 10, selector: ({ path, line }) => `${path}:${line}` }),
      wanted => {
        const { frames } = parseStackTrace(
          `TypeError: x\n${wanted
            .map(one => `${one.name}@https://x.test/` + `${one.path}.js:${one.line}:${one.column}\n`)
            .join('')}`,
        )
        t.same(
          frames.map(one => [one.function, one.file, one.line, one.column]),
          wanted.toReversed().map(one => [one.name, `https://x.test/${one.path}.js`, one.line, one.column]),
        )
      },
    ),
    { numRuns: runs(40) },
  )
})

test("native code in a bundle without a name, and in Safari's console", async t => {
  t.same(
    shown(
      ['TypeError: undefined is not a function', 'render@1:12345', 'pay@1:678', '[native code]', 'run@1:9'].join('\n'),
    ),
    [
      {
        head: 'root TypeError: undefined is not a function',
        frames: ['-:1:9 run', '-:- -', '-:1:678 pay', '-:1:12345 render'],
      },
    ],
  )
  t.same(shown(['TypeError: no', '   total (cart.js, line 12)', '   forEach', '   pay (pay.js, line 3)'].join('\n')), [
    { head: 'root TypeError: no', frames: ['pay.js:3 pay', '-:- forEach', 'cart.js:12 total'] },
  ])
})
