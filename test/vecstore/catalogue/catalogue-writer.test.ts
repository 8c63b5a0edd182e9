import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'tap'
import { outlineOf } from '../../../src/outline/outline.ts'
import { CatalogueReader, readStoredFiles } from '../../../src/vecstore/catalogue/catalogue-reader.ts'
import { CatalogueWriter } from '../../../src/vecstore/catalogue/catalogue-writer.ts'

const FILE = { repository: 'repo', path: 'a.py', language: 'python', lines: 1, oid: 'a'.repeat(40) }
const contentOf = (text: string) => ({
  text,
  chunks: [{ startLine: 1, endLine: 1, startOffset: 0, endOffset: text.length }],
  outline: outlineOf(text, 'python'),
})

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

test('what hangs on a content goes with it, even where its outline cannot be read', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    writer.addFile(FILE, contentOf('import shop\ndef gone(): pass\n'))
    writer.finish()
  }
  using database = new DatabaseSync(path)
  database.exec('DROP INDEX definitions_by_blob; DROP INDEX imports_by_blob') // as a release before this one left it
  database.prepare('UPDATE blobs SET outline = ?').run(new Uint8Array([1, 2, 3]))
  {
    using writer = new CatalogueWriter(path, { isNew: false })
    writer.retire('repo', 'a.py')
    writer.dropRetired()
    writer.finish()
  }
  for (const table of ['blobs', 'definitions', 'imports']) {
    t.equal(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows, 0, table)
  }
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

test('tokens of lines are kept with the content; in a catalogue of a release before them there are none, and it takes them from then on', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  const rowTokens = Uint8Array.of(1, 12)
  const tokensIn = (path: string) => {
    using reader = new CatalogueReader(path)
    return reader.files().map(({ blob }) => reader.rowTokens(blob))
  }
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    writer.addFile(FILE, { ...contentOf('counted'), rowTokens })
    writer.addFile({ ...FILE, path: 'b.py', oid: 'b'.repeat(40) }, contentOf('not counted'))
    writer.finish()
  }
  t.same(tokensIn(path), [rowTokens, null])
  {
    using database = new DatabaseSync(path)
    database.exec('ALTER TABLE blobs DROP COLUMN row_tokens')
  }
  t.same(tokensIn(path), [null, null])
  {
    using writer = new CatalogueWriter(path, { isNew: false })
    writer.addFile({ ...FILE, path: 'c.py', oid: 'c'.repeat(40) }, { ...contentOf('counted'), rowTokens })
    writer.finish()
  }
  t.same(tokensIn(path), [null, null, rowTokens])
})
