import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { outlineOf } from '../../../src/outline/outline.ts'
import { CatalogueReader, readStoredFiles } from '../../../src/vecstore/catalogue/catalogue-reader.ts'
import { CatalogueWriter } from '../../../src/vecstore/catalogue/catalogue-writer.ts'
import { FILE, contentOf } from './content-fixture.ts'

test('a disk that fills up while files are added is DISK_FULL', async t => {
  using writer = new CatalogueWriter(join(t.testdir(), 'c.sqlite'), { isNew: true, maxPages: 30 })
  t.throws(
    () => {
      for (let i = 0; i < 100; i++) {
        writer.addFile(
          { ...FILE, path: `${i}.py`, oid: String(i) },
          contentOf(Array.from({ length: 5_000 }, (_, n) => n * i).join(' ')),
        )
      }
    },
    { code: 'DISK_FULL' },
  )
})

test('a retired file gives its content to others until it is dropped, and no number is given twice', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    t.match(writer.addFile(FILE, contentOf('text')), { id: 1, firstChunk: 1, chunks: 1 })
    writer.retire('repo', 'a.py')
    t.equal(writer.filesOf('repo').size, 0)
    t.equal(writer.knownBlob(FILE.oid, 'ruby'), null, 'chunk boundaries may depend on the language')
    const known = writer.knownBlob(FILE.oid, 'python')
    t.match(known, { text: 'text', lines: 1, chunks: contentOf('text').chunks })
    if (known !== null) t.match(writer.addFile({ ...FILE, path: 'b.py' }, known), { firstChunk: 2 })
    writer.dropRetired()
    t.same(writer.counts(), { files: 1, chunks: 1 })
    writer.retire('repo', 'b.py')
    writer.dropRetired()
    t.equal(writer.knownBlob(FILE.oid, 'python'), null)
    writer.finish()
  }
  using again = new CatalogueWriter(path, { isNew: false })
  t.equal(again.lastChunkId, 2)
  t.match(again.addFile({ ...FILE, path: 'c.py' }, contentOf('text')), { id: 3, firstChunk: 3 })
})

test('what a file holds takes the number of what it held before, unless another file holds that still', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  const put = (writer: CatalogueWriter, path: string, text: string) =>
    writer.addFile({ ...FILE, path, oid: text }, contentOf(text)).blob
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    t.equal(put(writer, 'a.py', 'def one(): pass\nimport x\n'), 1)
    t.equal(put(writer, 'b.py', 'def two(): pass\n'), 2)
    t.equal(put(writer, 'copy.py', 'def two(): pass\n'), 2)
    t.equal(put(writer, 'moved.py', 'def three(): pass\n'), 3)
    writer.finish()
  }
  {
    using writer = new CatalogueWriter(path, { isNew: false })
    for (const name of ['a.py', 'b.py', 'moved.py']) writer.retire('repo', name)
    t.equal(put(writer, 'new.py', 'def three(): pass\n'), 3)
    t.equal(put(writer, 'a.py', 'def one(): pass\n\ndef four(): pass\nimport y\n'), 1)
    t.equal(put(writer, 'b.py', 'def five(): pass\n'), 4, 'a copy still holds it')
    t.equal(put(writer, 'moved.py', 'def six(): pass\n'), 5, 'it went to another path')
    writer.retire('repo', 'a.py')
    t.equal(put(writer, 'a.py', 'def one(): pass\ndef seven(): pass\n'), 6, 'once in a build')
    writer.dropRetired()
    writer.finish()
  }
  using reader = new CatalogueReader(path)
  const found = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map(name =>
    reader.definitionsOf(name, 10).map(({ path, startLine }) => `${path}:${startLine}`),
  )
  t.same(found, [['a.py:1'], ['copy.py:1'], ['new.py:1'], [], ['b.py:1'], ['moved.py:1'], ['a.py:2']])
  t.same(
    ['x', 'y'].map(key => reader.importersBy(key, 10)),
    [[], []],
  )
  t.equal(reader.text(6), 'def one(): pass\ndef seven(): pass\n')
})

test('definitions are found by their exact name under every path of their content, and go with it', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  const text = 'import shop.cart\nclass Cart:\n    def total(self):\n        return 1\n'
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    writer.addFile(FILE, contentOf(text))
    writer.addFile({ ...FILE, path: 'copy.py' }, contentOf(text))
    writer.addFile(
      { ...FILE, path: 'gone.py', oid: 'b'.repeat(40) },
      contentOf('def gone(): pass\ndef total(): pass\n'),
    )
    writer.retire('repo', 'gone.py')
    writer.dropRetired()
    writer.finish()
  }
  using reader = new CatalogueReader(path)
  t.same(
    reader
      .definitionsOf('total', 10)
      .map(({ path, container, kind, startLine, endLine }) => [path, container, kind, startLine, endLine]),
    [
      ['a.py', 'Cart', 'function', 3, 4],
      ['copy.py', 'Cart', 'function', 3, 4],
    ],
  )
  t.same(reader.definitionsOf('gone', 10), [])
  t.same(reader.definitionsOf('Total', 10), [])
  t.equal(reader.definitionsOf('total', 1).length, 1)
  t.equal(reader.hasMoreDefinitions('total', 2), false)
  t.equal(reader.hasMoreDefinitions('total', 1), true)
  t.equal(reader.hasMoreDefinitions('gone', 0), false)
  t.equal(reader.importersBy('cart', 10).length, 1)
  t.same(reader.outline(reader.files()[0]?.blob ?? 0), outlineOf(text, 'python'))
})

test('texts are kept as they are, short and long, and listed by repository', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  const texts = ['', 'x', 'Привет \u{1F600}\u0000 end\n'.repeat(500)]
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    for (const [i, text] of texts.entries()) {
      writer.addFile({ ...FILE, path: `${i}.py`, oid: String(i) }, contentOf(text))
    }
    writer.addFile({ ...FILE, repository: 'other' }, contentOf('other'))
    writer.finish()
  }
  t.same(
    [...readStoredFiles(path, 'repo')].map(({ text }) => text),
    texts,
  )
})

test('nothing of what went stays in the file: other projects may take it over', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    for (let i = 0; i < 200; i++) {
      writer.addFile({ ...FILE, path: `kept${i}.py`, oid: String(i) }, contentOf(`def kept_${i}(): pass\n`))
    }
    writer.addFile(FILE, contentOf('def forgotten_name(): pass\n'))
    writer.finish()
  }
  t.ok(readFileSync(path).includes('forgotten_name'))
  {
    using writer = new CatalogueWriter(path, { isNew: false })
    writer.retire('repo', 'a.py')
    writer.dropRetired()
    writer.finish()
  }
  t.notOk(readFileSync(path).includes('forgotten_name'))
})
