import { test } from 'tap'
import { zstdCompressSync } from 'node:zlib'
import { MAX_PACKED_BYTES, packText, unpackText } from '../../../src/vecstore/format/packed-text.ts'

test('short texts stay as they are, long ones are packed, and both come back', async t => {
  t.equal(packText('short'), 'short')
  const long = '✓ long\n'.repeat(1000)
  const packed = packText(long)
  t.ok(packed instanceof Uint8Array && packed.length < 200)
  for (const text of ['', 'short', long]) t.equal(unpackText(packText(text)), text)
})

test('a damaged text that would take too much memory is refused', async t => {
  t.throws(() => unpackText(zstdCompressSync(Buffer.alloc(MAX_PACKED_BYTES + 1))))
  t.throws(() => unpackText(Uint8Array.of(1, 2, 3)))
})
