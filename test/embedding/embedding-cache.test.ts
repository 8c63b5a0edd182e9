import { createHash } from 'node:crypto'
import { test } from 'tap'
import { embeddingKey } from '../../src/embedding/embedding-cache.ts'

test('a key names the model and the text', async t => {
  const sha256 = createHash('sha256').update('✓ text').digest('hex')
  t.equal(embeddingKey('m', '✓ text'), `m:${sha256}`)
  t.not(embeddingKey('m', 'a'), embeddingKey('n', 'a'))
  t.not(embeddingKey('m', 'a'), embeddingKey('m', 'b'))
})
