import { test } from 'tap'
import { shown } from '../../../helpers/shown-trace.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

test('webpack: the place in the head, the marked code, and what was not found', async t => {
  const found = shown(readTrace('webpack-5-build'))
  t.same(
    found.map(({ frames }) => frames),
    [['./broken.js:5:0 - | }'], ['./index.ts:1:0 -']],
  )
  t.match(found[0]?.head, /^root null: Module parse failed: Unexpected token \(5:0\)/)
  t.equal(
    found[1]?.head,
    "root Error: Can't resolve './missing' in '/srv/app/javascript/bundle'\n" +
      "resolve './missing' in '/srv/app/javascript/bundle'",
  )
})

test('loaders in front of the file, places in brackets, and a place that only the message tells', async t => {
  t.same(shown('ERROR in ./node_modules/css-loader!./src/a.css 3:4\nModule not found: Error: no\n')[0]?.frames, [
    './src/a.css:3:4 -',
  ])
  t.same(shown("ERROR in /srv/app/src/a.ts(3,4):\nTS2339: Property 'x' does not exist\n")[0]?.frames, [
    '/srv/app/src/a.ts:3:4 -',
  ])
  t.same(shown('ERROR in ./src/a.js\nModule build failed: SyntaxError: Unexpected token (3:4)\n')[0]?.frames, [
    './src/a.js:3:4 -',
  ])
})

test('esbuild: message, place and code', async t => {
  t.same(shown('✘ [ERROR] Expected ")" but found "}"\n\n    src/a.js:5:0:\n      5 │ }\n        ╵ ^\n'), [
    { head: 'root null: Expected ")" but found "}"', frames: ['src/a.js:5:0 - | }'] },
  ])
})

test("a bundler's own stack ends at the file that it could not read", async t => {
  t.equal(shown(readTrace('vite-5-build'))[0]?.frames.at(-1), '/srv/app/javascript/bundle/broken.js:1:0 -')
  t.equal(
    shown(
      'SyntaxError: /srv/app/src/App.js: Unexpected token (12:3)\n\n> 12 | b\n     | ^\n' +
        '    at Parser.raise (/srv/app/node_modules/@babel/parser/lib/index.js:1:2)\n',
    )[0]?.frames.at(-1),
    '/srv/app/src/App.js:12:3 -',
  )
})

test('an import that leads nowhere has its file in the message and its line marked in the code', async t => {
  t.same(summary(readTrace('jest-unresolved')), [
    {
      head: "root null: Cannot find module 'src/core/function/ObjectDefine' from 'host/host.controller.ts'",
      frames: ['host/host.controller.ts:2 null'],
    },
  ])
})

test('a warning behind an error stands beside it', async t => {
  t.same(shown(['ERROR in ./src/pay.ts 3:5', 'no till', '', 'WARNING in ./src/cart.ts 9:1', 'unused'].join('\n')), [
    { head: 'root null: no till', frames: ['./src/pay.ts:3:5 -'] },
    { head: 'separate null: unused', frames: ['./src/cart.ts:9:1 -'] },
  ])
  t.same(
    shown(
      [
        '✘ [ERROR] no till',
        '',
        '    src/pay.ts:3:5:',
        '      3 │ pay()',
        '',
        '▲ [WARNING] unused',
        '',
        '    src/cart.ts:9:1:',
      ].join('\n'),
    ),
    [
      { head: 'root null: no till', frames: ['src/pay.ts:3:5 - | pay()'] },
      { head: 'separate null: unused', frames: ['src/cart.ts:9:1 -'] },
    ],
  )
})

test('of what stands below the head of an error 30 lines are read', async t => {
  const said = (count: number): string[] => Array.from({ length: count }, (_, at) => `part${at + 1}`)
  t.same(shown(['ERROR in ./src/pay.ts 3:5', ...said(40)].join('\n')), [
    { head: `root null: ${said(30).join('\n')}`, frames: ['./src/pay.ts:3:5 -'] },
  ])
  const unresolved = (above: number): string =>
    [
      "Cannot find module './till' from 'src/pay.ts'",
      ...said(above).map((part, at) => `  ${at + 1} | ${part}`),
      '> 99 | import till',
    ].join('\n')
  t.same(shown(unresolved(28))[0]?.frames, ['src/pay.ts:99 - | import till'])
  t.same(shown(unresolved(29)), [])
})
