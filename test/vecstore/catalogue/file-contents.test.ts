import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'tap'
import { CatalogueWriter } from '../../../src/vecstore/catalogue/catalogue-writer.ts'
import { FILE, contentOf } from './content-fixture.ts'

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
