import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { checksumOf } from '../../../src/vecstore/format/durable-files.ts'

test('a checksum is the size and the SHA-256 of a file', async t => {
  const file = join(t.testdir(), 'f')
  writeFileSync(file, 'abc')
  t.same(await checksumOf(file), {
    bytes: 3,
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  })
})
