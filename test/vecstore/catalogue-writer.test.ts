import { join } from 'node:path'
import { test } from 'tap'
import { CatalogueReader } from '../../src/vecstore/catalogue-reader.ts'
import { CatalogueWriter } from '../../src/vecstore/catalogue-writer.ts'
import { vectorOf } from './fixture.ts'

const FILE = { repository: 'repo', path: 'a.py', language: 'python', lines: 1, oid: 'a'.repeat(40) }
const chunkOf = (text: string) => ({ startLine: 1, endLine: 1, startOffset: 0, endOffset: text.length, vector: vectorOf(text) })

test('a disk that fills up while files are added is DISK_FULL', async (t) => {
  using writer = new CatalogueWriter(join(t.testdir(), 'c.sqlite'), { isNew: true, maxPages: 30 })
  t.throws(() => {
    for (let i = 0; i < 100; i++) writer.addFile({ ...FILE, path: `${i}.py`, oid: String(i) }, 'x'.repeat(50_000), [chunkOf('x')])
  }, { code: 'DISK_FULL' })
})

test('a retired file gives its text and vectors to others until it is dropped', async (t) => {
  const path = join(t.testdir(), 'c.sqlite')
  using writer = new CatalogueWriter(path, { isNew: true })
  writer.addFile(FILE, 'text', [chunkOf('text')])
  writer.retire('repo', 'a.py')
  t.equal(writer.filesOf('repo').size, 0)
  t.equal(writer.knownBlob(FILE.oid, 'ruby'), null, 'chunk boundaries may depend on the language')
  const known = writer.knownBlob(FILE.oid, 'python')
  t.same(known, { text: 'text', lines: 1, chunks: [chunkOf('text')] })
  if (known !== null) writer.addFile({ ...FILE, path: 'b.py' }, known.text, known.chunks)
  t.same(writer.dropRetired(), [1])
  t.same(Array.from(writer.vectorsAfter(0), ({ id }) => id), [2])
  t.equal(writer.lastChunkId(), 2)
  writer.retire('repo', 'b.py')
  t.same(writer.dropRetired(), [2])
  t.equal(writer.knownBlob(FILE.oid, 'python'), null)
  writer.addFile({ ...FILE, path: 'c.py' }, 'text', [chunkOf('text')])
  t.same(Array.from(writer.vectorsAfter(0), ({ id }) => id), [3], 'an id is never given twice')
  t.same(writer.counts(), { files: 1, chunks: 1 })
  writer.finish()
  using reader = new CatalogueReader(path)
  t.same(reader.searchText('text', 5).map(({ id }) => id), [3])
})
