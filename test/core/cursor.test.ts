import { test } from 'tap'
import { decodeNumberCursor, decodeTextCursor, encodeCursor } from '../../src/core/cursor.ts'

test('a cursor gives back the key that it was made of; none is the beginning', async t => {
  t.equal(decodeTextCursor(encodeCursor('shop/é')), 'shop/é')
  t.equal(decodeNumberCursor(encodeCursor(42)), 42)
  t.match(encodeCursor('shop/é'), /^[A-Za-z0-9_-]+$/)
  t.equal(decodeTextCursor(undefined), null)
  t.equal(decodeNumberCursor(undefined), null)
})

test('a number that was never given is refused', async t => {
  for (const text of ['x', '-1', '1.5', '9'.repeat(16)]) {
    t.throws(() => decodeNumberCursor(encodeCursor(text)), { code: 'VALIDATION_FAILED' })
  }
})
