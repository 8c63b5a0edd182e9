import { test } from 'tap'
import { CODE, compiledFrame, mapTracked } from './map-outputs.ts'

test('nothing is listed for a trace without compiled files', async t => {
  for (const file of [
    '/app/src/cart.js',
    '/app/cart.py',
    'node:fs',
    '/app/node_modules/left/dist/index.js',
    '<anonymous>',
  ]) {
    const { asked } = await mapTracked({ 'src/cart.js': CODE, 'cart.py': CODE }, {}, [compiledFrame(file)])
    t.same(asked, [], file)
  }
})
