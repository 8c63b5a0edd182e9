import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openTestStore, publish } from '../fixture.ts'

const FILES = { 'a.py': 'alpha = 1\n', 'b.py': 'beta = 2\n' }

/** Values that no release writes, by where they stand. */
const WRONG: ReadonlyArray<[path: string, value: unknown]> = [
  ['generation', 0.5],
  ['generation', 2],
  ['chunksTotal', -1],
  ['filesIndexed', '2'],
  ['publishedAt', null],
  ['chunker', 1],
  ['indexState', 'half'],
  ['indexState', undefined],
  ['annRecall', 1.5],
  ['annRecall', 'high'],
  ['languages', { python: -2 }],
  ['languages', []],
  ['embedding.provider', 'other'],
  ['embedding.dimensions', -8],
  ['embedding.fitId', null],
  ['repositories.0.url', null],
  ['repositories.0.filesSkipped', { binary: 'many' }],
  ['repositories.0.include', [1]],
  ['contents.0', null],
  ['contents.0.repository', 3],
  ['contents.0.chunksTotal', -1],
  ['contents.0.languages', null],
  ['contents', {}],
  ['segments.0.number', -1],
  ['segments.0.chunks', 1e300],
  ['segments.0.lexical', null],
  ['segments.0.vectors', {}],
  ['growth.throughChunk', -1],
  ['growth.countedThrough', undefined],
  ['growth.occurrences', null],
  ['seals.catalogue', null],
  ['seals.catalogue.sha256', '../x'],
  ['seals.fit', 1],
  ['seals.hnsw', { bytes: 1 }],
]

function withValue(object: Record<string, unknown>, [key = '', ...rest]: string[], value: unknown): unknown {
  const changed = rest.length === 0 ? value : withValue(object[key] as Record<string, unknown>, rest, value)
  return Array.isArray(object) ? object.with(Number(key), changed) : { ...object, [key]: changed }
}

test('a manifest in which anything lies outside of its range is damaged', async t => {
  const root = t.testdir()
  await publish(openTestStore(root), 'shop', FILES)
  const file = join(root, 'shop/000001/manifest.json')
  const whole = readFileSync(file, 'utf8')
  for (const [path, value] of WRONG) {
    writeFileSync(file, JSON.stringify(withValue(JSON.parse(whole), path.split('.'), value)))
    await t.rejects(
      openTestStore(root).openReader('shop'),
      { code: 'INDEX_INCOMPATIBLE', fix: /POST \/clone/ },
      `${path} = ${JSON.stringify(value)}`,
    )
  }
  writeFileSync(file, whole)
  await using reader = await openTestStore(root).openReader('shop')
  t.equal(reader.files().length, 2)
})
