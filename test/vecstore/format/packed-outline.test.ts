import { test } from 'tap'
import type { Scope } from '../../../src/core/outline.ts'
import { packOutline, unpackOutline } from '../../../src/vecstore/format/packed-outline.ts'
import { packText } from '../../../src/vecstore/format/packed-text.ts'

const scope: Scope = { name: 'total', kind: 'function', startLine: 2, endLine: 3, leadLine: 1, parent: null }

test('an outline is unpacked as it was packed', async t => {
  const outline = {
    scopes: [scope, { ...scope, parent: 0 }],
    imports: [{ target: './cart.js', names: ['Cart', 'Item'], line: 1 }],
  }
  t.same(unpackOutline(packOutline(outline)), outline)
})

test('an outline that would be too large to be unpacked is packed as one of nothing', async t => {
  const names = new Array<string>(68).fill('x'.repeat(1_000_000))
  t.same(unpackOutline(packOutline({ scopes: [scope], imports: [{ target: 'a', names, line: 1 }] })), {
    scopes: [],
    imports: [],
  })
})

test('what is no outline is no outline', async t => {
  for (const text of [
    '{}',
    '[]',
    '[[],{}]',
    '[[["a","verb",1,1,1,null]],[]]',
    '[[["a","class",1,1,1]],[]]',
    '[[],[["a",1,[1]]]]',
  ]) {
    t.throws(() => unpackOutline(packText(text)), TypeError, text)
  }
})
