import { test } from 'tap'
import { FaultlineError } from '../../../../src/core/errors.ts'
import { memoryCodeReader } from '../../../fakes/memory-code-reader.ts'
import { find } from '../../locate-in.ts'

test('an embedder that is down costs only the vectors, and the answer says so', async t => {
  const reader = memoryCodeReader({ 'src/discount.py': 'def apply_discount(cart):\n    raise ValueError\n' })
  const { sources, degraded } = await find(
    reader,
    { stackTrace: 'apply_discount fails' },
    {
      embedQuery: async () => {
        throw new FaultlineError('EMBEDDING_UNAVAILABLE', 'down')
      },
    },
  )
  t.match(sources, [{ reason: 'lexical', why: /the embedding service did not answer/ }])
  t.equal(degraded, true)
  t.equal((await find(reader, { stackTrace: 'apply_discount fails' })).degraded, false)
  await t.rejects(
    find(
      reader,
      { stackTrace: 'apply_discount fails' },
      {
        embedQuery: async () => {
          throw new TypeError('a bug')
        },
      },
    ),
    TypeError,
    'a bug is not taken for it',
  )
})
