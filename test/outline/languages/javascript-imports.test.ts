import { test } from 'tap'
import { importsOf } from '../spans.ts'

test('imports and calls of require, with the names that they take', async t => {
  t.same(
    importsOf(
      'typescript',
      `import a, { b as c, type d } from './a.ts'
import type { e } from 'e'
import * as f from "f"
import 'g'
export { h as i } from './h.js'
export const x = 1
const { j, k: l } = require('j'), m = require('m')
const n = await import('n')
import o = require('o')
`,
    ),
    ['1 ./a.ts {a b d}', '2 e {e}', '3 f', '4 g', '5 ./h.js {h}', '7 j {j k}', '7 m', '8 n', '9 o'],
  )
})
