import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'tap'
import { CatalogueReader } from '../../../src/vecstore/catalogue/catalogue-reader.ts'
import { CatalogueWriter } from '../../../src/vecstore/catalogue/catalogue-writer.ts'
import { FileContents } from '../../../src/vecstore/catalogue/file-contents.ts'
import { FILE, contentOf } from './content-fixture.ts'

test('what hangs on a content goes with it, even where its outline cannot be read', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    writer.addFile(FILE, contentOf('import shop\ndef gone(): pass\n'))
    writer.finish()
  }
  using database = new DatabaseSync(path)
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

test('definitions of a name are given unless they are too many, whatever was asked for before', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    writer.addFile(FILE, contentOf('def rare(): pass\ndef common(): pass\nclass A:\n  def common(self): pass\n'))
    writer.addFile({ ...FILE, path: 'b.py', oid: 'b'.repeat(40) }, contentOf('def common(): pass\n'))
    writer.finish()
  }
  using reader = new CatalogueReader(path)
  using contents = new FileContents(reader)
  t.equal(contents.fewDefinitionsOf('common', 2), null)
  t.equal(contents.fewDefinitionsOf('common', 1), null)
  t.equal(contents.fewDefinitionsOf('common', 3)?.length, 3, 'that there are more than two was remembered')
  t.equal(contents.fewDefinitionsOf('common', 2), null, 'they are known by now')
  t.equal(contents.fewDefinitionsOf('rare', 1)?.length, 1)
  t.same(contents.fewDefinitionsOf('missing', 1), [])
})
