import { join } from 'node:path'
import { rmSync } from 'node:fs'
import { test } from 'tap'
import { openGeneration } from '../../../src/vecstore/generation-reader.ts'
import { openNewest } from '../../../src/vecstore/format/newest-generation.ts'
import { ChecksumMemory } from '../../../src/vecstore/format/checksum-memory.ts'
import { SegmentMemory } from '../../../src/vecstore/lexical/segment-memory.ts'
import type { FileChecksum } from '../../../src/vecstore/format/durable-files.ts'
import { openTestStore, publish } from '../fixture.ts'

/** Publishes a new generation before it answers for a file of vectors, as often as it may. */
class Racing extends ChecksumMemory {
  left: number
  readonly #publish: () => Promise<unknown>

  constructor(times: number, publish: () => Promise<unknown>) {
    super()
    this.left = times
    this.#publish = publish
  }

  override async condition(path: string, checksum: FileChecksum) {
    if (path.endsWith('.vectors') && this.left-- > 0) await this.#publish()
    return await super.condition(path, checksum)
  }
}

test('a reader that is opened while a generation is published has the vectors of the new one', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  let count = 0
  const publishNext = () => publish(store, 'shop', { 'a.py': `a = ${count++}\n`, 'b.py': 'b = 2\n' })
  await publishNext()
  const openRacing = (checksums: ChecksumMemory) =>
    openNewest(join(root, 'shop'), paths =>
      openGeneration(paths, 'shop', { exactBelow: 5_000, checksums, opened: new SegmentMemory() }),
    )

  const opened = await openRacing(new Racing(3, publishNext))
  if (opened === null || 'unreadable' in opened) throw new Error('It is readable.')
  await using reader = opened
  t.match(reader, { manifest: { generation: 4, indexState: 'ready' }, vectorSearch: 'exact' })

  await t.rejects(openRacing(new Racing(Infinity, publishNext)), {
    code: 'PROJECT_BUSY',
    message: /shop/,
    fix: /again/,
  })
})

test('a file that is missing although nothing else was published is damage', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(store, 'shop', { 'a.py': 'a = 1\n' })
  rmSync(join(root, 'shop/000001/segments/000001.vectors'))
  t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: false })
  {
    await using reader = await store.openReader('shop')
    t.equal(reader.vectorSearch, 'none')
  }
  rmSync(join(root, 'shop/000001/segments/000001.lexical'))
  await t.rejects(store.openReader('shop'), { code: 'INDEX_INCOMPATIBLE' })
})
