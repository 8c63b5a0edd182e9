import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { lineStarts } from '../../src/core/source-text.ts'
import { type Chunker } from '../../src/indexer/chunker.ts'
import { type Store } from '../../src/vecstore/store.ts'
import { index, prepare } from './index-fixture.ts'

test('large files become windows whose lines are those of the file', async t => {
  const text = Array.from({ length: 1_200 }, (_, i) => `value_${i + 1} = ${i + 1}`).join('\r\n') + '\r\n'
  const { store, repository } = prepare(t, { 'big.py': text, 'empty.py': '' })
  t.match(await index(store, repository), { filesIndexed: 2, chunksTotal: 3 })
  await using reader = await store.openReader('shop')
  const chunks = reader.chunksOf('repo', 'big.py')
  t.same(
    chunks.map(({ chunkIndex, totalChunks, startLine, endLine }) => [chunkIndex, totalChunks, startLine, endLine]),
    [
      [0, 3, 1, 500],
      [1, 3, 451, 950],
      [2, 3, 901, 1200],
    ],
  )
  t.equal(chunks[1]?.text.split('\n')[0], 'value_451 = 451')
  t.same(reader.chunksOf('repo', 'empty.py'), [])
  t.equal(reader.fileText('repo', 'empty.py'), '')
})

test('the lines of a chunk are those it names, a blank one at the end included', async t => {
  const { store, repository } = prepare(t, { 'a.py': 'a = 1\n\n', 'b.py': `${'x\n'.repeat(499)}\nlast\n` })
  await index(store, repository)
  await using reader = await store.openReader('shop')
  for (const path of ['a.py', 'b.py']) {
    for (const { text, startLine, endLine } of reader.chunksOf('repo', path)) {
      t.equal(lineStarts(text).length, endLine - startLine + 1, path)
    }
  }
})

test('a disk that fills up is noticed while files are written, copies of known ones included', async t => {
  const byLine: Chunker = {
    name: 'by-line',
    chunk: text =>
      lineStarts(text).map((startOffset, i) => ({
        startLine: i + 1,
        endLine: i + 1,
        startOffset,
        endOffset: startOffset + 1,
      })),
  }
  const { store, repository } = prepare(
    t,
    Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`${i}.py`, 'x\n'.repeat(200)])),
  )
  let looks = 0
  const begin: Store['begin'] = async (...args) => {
    const builder = await store.begin(...args)
    builder.requireFreeSpace = async () => {
      if (++looks === 2) throw new FaultlineError('DISK_FULL', 'full')
    }
    return builder
  }
  await t.rejects(index({ ...store, begin }, repository, { chunker: byLine }), { code: 'DISK_FULL' })
  t.equal(await store.readManifest('shop'), null)
})
