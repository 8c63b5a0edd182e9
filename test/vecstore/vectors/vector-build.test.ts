import { test } from 'tap'
import { addFiles, EMBEDDING, finishAndPublish, openTestStore, publish, vectorOf } from '../fixture.ts'
import { FILES } from '../store-fixture.ts'

test('vectors of another space take the place of all previous ones', async t => {
  const root = t.testdir()
  const store = openTestStore(root, { exactBelow: 0 })
  await publish(store, 'shop', FILES)
  {
    await using builder = await store.begin('shop', 'copy')
    await addFiles(builder, { 'new.py': 'def fresh(): pass\n' })
    await finishAndPublish(builder, 4, { ...EMBEDDING, fitId: 'test-8-v2' })
  }
  t.match(await store.inspect('shop'), {
    kind: 'whole',
    vectorsWhole: true,
    manifest: { embedding: { fitId: 'test-8-v2' }, growth: { occurrences: 0 } },
  })
  await using reader = await store.openReader('shop')
  t.equal(reader.searchVectors(vectorOf('x'), 9).length, 4)
})
