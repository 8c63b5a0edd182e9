import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'tap'
import { CatalogueReader } from '../../../src/vecstore/catalogue/catalogue-reader.ts'
import { indexForDeleting } from '../../../src/vecstore/catalogue/catalogue-schema.ts'
import { CatalogueWriter } from '../../../src/vecstore/catalogue/catalogue-writer.ts'
import { FILE, contentOf } from './content-fixture.ts'

test(
  'tokens of lines are kept with the content; in a catalogue of a release before them there are none, and ' +
    'it takes them from then on',
  async t => {
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
  },
)

test('a catalogue has no index for deleting until one is asked for, which may be asked for again', async t => {
  const path = join(t.testdir(), 'c.sqlite')
  {
    using writer = new CatalogueWriter(path, { isNew: true })
    writer.addFile(FILE, contentOf('kept'))
    writer.finish()
  }
  using database = new DatabaseSync(path)
  const indexes = (): unknown[] =>
    database
      .prepare("SELECT name FROM sqlite_schema WHERE name IN ('definitions_by_blob', 'imports_by_blob') ORDER BY name")
      .all()
      .map(({ name }) => name)
  t.same(indexes(), [])
  for (let time = 0; time < 2; time++) {
    indexForDeleting(database)
    t.same(indexes(), ['definitions_by_blob', 'imports_by_blob'])
  }
})
