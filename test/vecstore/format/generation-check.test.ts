import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { NEEDS_HNSW } from '../../helpers/hnsw.ts'
import { finishAndPublish, openTestStore, publish, vectorOf } from '../fixture.ts'
import { FILES, flipByte } from '../store-fixture.ts'

test(
  'a damaged file of vectors is made again by the next build, a damaged segment of words from the stored ' + 'texts',
  async t => {
    const root = t.testdir()
    const store = openTestStore(root)
    await publish(store, 'shop', FILES)
    flipByte(join(root, 'shop/000001/segments/000001.vectors'))
    t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: false })
    {
      await using reader = await store.openReader('shop')
      t.equal(reader.vectorSearch, 'none')
      await using builder = await store.begin('shop', 'copy')
      await finishAndPublish(builder, 3)
    }
    {
      await using reader = await store.openReader('shop')
      t.equal(reader.searchVectors(vectorOf(FILES['src/b.py']), 1)[0]?.path, 'src/b.py')
    }
    flipByte(join(root, 'shop/000002/segments/000001.lexical'))
    t.match(await store.inspect('shop'), { kind: 'unreadable', why: 'segments' })
    await t.rejects(store.openReader('shop'), { code: 'INDEX_INCOMPATIBLE' })
    t.same([...(await store.storedFiles('shop', 'repo'))].length, 3)
  },
)

test(
  'a damaged vector file is noticed and searched around, and the next build makes a whole one',
  NEEDS_HNSW,
  async t => {
    const root = t.testdir()
    const store = openTestStore(root, { exactBelow: 0 })
    await publish(store, 'shop', FILES)
    for (const damage of [flipByte, (path: string) => truncateSync(path, 100)]) {
      const { generation } = (await store.readManifest('shop')) ?? { generation: 0 }
      damage(join(root, `shop/${String(generation).padStart(6, '0')}/vectors.hnsw`))
      t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: false })
      {
        await using reader = await store.openReader('shop')
        t.equal(reader.vectorSearch, 'repairing')
        t.equal(reader.searchVectors(vectorOf(FILES['src/b.py']), 1)[0]?.path, 'src/b.py')
      }
      await using builder = await store.begin('shop', 'copy')
      await finishAndPublish(builder, 3)
      await using repaired = await store.openReader('shop')
      t.equal(repaired.vectorSearch, 'hnsw')
      t.equal(repaired.searchVectors(vectorOf('x'), 9).length, 3)
    }
  },
)
