import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { entriesOf } from '../../../src/vecstore/format/layout.ts'
import { LARGE_SEARCH } from '../../helpers/hnsw.ts'
import { openTestStore, publish } from '../fixture.ts'
import { FILES } from '../store-fixture.ts'

test(
  'a generation is exactly its catalogue, its segments and, above some size, their graph, with no journal ' + 'left',
  async t => {
    const root = t.testdir()
    await publish(openTestStore(root), 'shop', FILES)
    t.same(readdirSync(join(root, 'shop')).sort(), ['000001', 'CURRENT', 'project.json'])
    t.same(readdirSync(join(root, 'shop/000001'), { recursive: true }).sort(), [
      'catalogue.sqlite',
      'manifest.json',
      'segments',
      'segments/000001.lexical',
      'segments/000001.vectors',
    ])
    await publish(openTestStore(root, { exactBelow: 0 }), 'shop', FILES)
    t.same(readdirSync(join(root, 'shop/000002')).sort(), [
      'catalogue.sqlite',
      'manifest.json',
      'segments',
      ...(LARGE_SEARCH === 'hnsw' ? ['vectors.hnsw'] : []),
    ])
  },
)

test('names that are no project names never become paths', async t => {
  const store = openTestStore(t.testdir())
  for (const name of ['..', '../x', 'a/b', '.embeddings', '', 'con', 'a\0b', 'x'.repeat(65)]) {
    await t.rejects(store.createProject(name), { code: 'VALIDATION_FAILED' }, JSON.stringify(name))
    await t.rejects(store.deleteProject(name), { code: 'VALIDATION_FAILED' }, JSON.stringify(name))
    await t.rejects(store.openReader(name), { code: 'VALIDATION_FAILED' }, JSON.stringify(name))
  }
})

test('a folder that is not there has no entries, a file that is no folder none either, and any other fault is told', async t => {
  const root = t.testdir({ a: {}, file: '' })
  t.same((await entriesOf(root)).toSorted(), ['a', 'file'])
  t.same(await entriesOf(join(root, 'none')), [])
  t.same(await entriesOf(join(root, 'file')), [])
  await t.rejects(entriesOf(join(root, 'x'.repeat(300))), { code: 'ENAMETOOLONG' })
})
