import { test } from 'tap'
import { frame, map, mapOne } from './map-one.ts'

test('a line that is not there is told, with the place where the code is now', async t => {
  const files = { 'a.py': 'import os\n\ndef f():\n    return g()\n' }
  t.match(mapOne(files, frame('a.py', { line: 1, sourceText: 'return g()' })), {
    codeLine: 4,
    line: 1,
    why: 'the path is a.py in the index; the printed code is at line 4',
  })
  t.match(mapOne(files, frame('a.py', { line: 90 })), {
    codeLine: null,
    why: 'the path is a.py in the index; the file has 4 lines',
  })
  t.match(mapOne(files, frame('a.py', { line: 2, sourceText: 'gone()' })), {
    codeLine: null,
    why: 'the path is a.py in the index; the printed code is not at this line',
  })
})

test('a line far beyond the end of a script is one of a bundle', async t => {
  const files = {
    'package.json': '{"name": "kit"}',
    'index.js': "module.exports = require('./src')\n",
    'src/print.js': 'function print () {\n  return 1\n}\n',
  }
  t.match(mapOne(files, frame('/app/node_modules/kit/index.js', { line: 26_534, function: 'printAll' })), {
    path: null,
    why: /index\.js has 1 lines: what ran is a bundle/,
  })
  t.match(
    mapOne(files, frame('/app/node_modules/kit/index.js', { line: 90, function: 'printAll' })),
    { path: 'index.js' },
    'another version of it',
  )
  t.match(mapOne(files, frame('/app/node_modules/kit/src/print.js', { line: 26_534, function: 'print' })), {
    path: 'src/print.js',
    codeLine: 1,
  })
})

test('of a compiled file each frame tells its own function', async t => {
  const files = {
    'src/cart/total.ts':
      'export function total (cart) {\n  return net(cart)\n}\n\nexport function net (cart) {\n  return 1\n}\n',
  }
  const whys = map(
    files,
    ['total', 'net', 'gone', null].map(name => frame('/app/dist/cart/total.js', { line: 900, function: name })),
  ).map(({ why }) => why)
  t.same(
    whys,
    [
      'total begins at line 1',
      'net begins at line 5',
      'it does not define gone, but what another frame of the file names',
      'other frames of the file name its functions, this one none',
    ].map((own, i) => {
      const file = 'compiled from src/cart/total.ts; the printed line says nothing there'
      return `${i === 0 ? file : 'the same file as in frame 0'}; ${own}`
    }),
  )
})

test('the line that is marked is that of the function when the printed one is stale', async t => {
  const text = `${'# licence\n'.repeat(30)}def first():\n    pass\n\n\ndef total(x):\n    return x\n`
  t.match(mapOne({ 'shop/cart.py': text }, frame('/app/shop/cart.py', { line: 12, function: 'total' })), {
    line: 12,
    codeLine: 35,
    why: /the function is not at this line but begins at line 35$/,
  })
})
