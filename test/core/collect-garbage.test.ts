import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'tap'
import { collectGarbage } from '../../src/core/collect-garbage.ts'

test('what nobody holds any more is gone', async t => {
  const held = { text: 'kept' }
  const references = [new WeakRef({ text: 'lost' }), new WeakRef(held)]
  await nextTurn() // a reference holds its object until the end of the turn that made it
  collectGarbage()
  t.same(
    references.map(reference => reference.deref()),
    [undefined, held],
  )
})
