import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'tap'
import { openEmbeddingCache } from '../../../src/vecstore/vectors/embedding-cache.ts'

test('what was put is got, exactly, by a later process, too', async t => {
  const root = t.testdir()
  {
    using cache = openEmbeddingCache(root)
    cache.put([
      ['m:1', Float32Array.of(0.1, -2, 3)],
      ['m:2', Float32Array.of(1)],
    ])
    cache.put([['m:2', Float32Array.of(5)]])
  }
  using cache = openEmbeddingCache(root)
  const found = cache.get(['m:1', 'm:2', 'm:3'])
  t.same(
    found,
    new Map([
      ['m:1', Float32Array.of(0.1, -2, 3)],
      ['m:2', Float32Array.of(5)],
    ]),
  )
  t.equal(cache.get(Array.from({ length: 1_000 }, (_, i) => `m:${i}`)).size, 2)
  t.same(cache.get([]), new Map())
})

test('what was put survives a kill', async t => {
  const root = t.testdir()
  const child = spawn(
    process.execPath,
    [
      '--input-type=module-typescript',
      '-e',
      `
    import { openEmbeddingCache } from ${JSON.stringify(new URL('../../../src/vecstore/vectors/embedding-cache.ts', import.meta.url).href)}
    const cache = openEmbeddingCache(${JSON.stringify(root)})
    cache.put([['m:1', Float32Array.of(7)]])
    process.stdout.write('put')
    setInterval(() => {}, 1000)
  `,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  using cache = openEmbeddingCache(root)
  t.same(cache.get(['m:1']).get('m:1'), Float32Array.of(7))
})

test('a damaged file is begun anew', async t => {
  const root = t.testdir({ '.embeddings': {} })
  writeFileSync(join(root, '.embeddings/cache.sqlite'), 'this is no database, whatever its name says'.repeat(100))
  using cache = openEmbeddingCache(root)
  cache.put([['m:1', Float32Array.of(7)]])
  t.equal(cache.get(['m:1']).size, 1)
})

test('a file that is damaged in the middle is begun anew when that is met', async t => {
  const root = t.testdir()
  const keys = Array.from({ length: 2_000 }, (_, i) => `m:${i}`)
  {
    using cache = openEmbeddingCache(root)
    cache.put(keys.map(key => [key, new Float32Array(50).fill(1)]))
  }
  const file = join(root, '.embeddings/cache.sqlite')
  writeFileSync(file, readFileSync(file).fill(0x77, 8_192, 100_000))
  using cache = openEmbeddingCache(root)
  t.equal(cache.get(keys).size, 0)
  cache.put([['m:1', Float32Array.of(7)]])
  t.same(cache.get(['m:1']), new Map([['m:1', Float32Array.of(7)]]))
})

test('what is no vector is not given', async t => {
  const root = t.testdir()
  using cache = openEmbeddingCache(root)
  cache.put([
    ['m:1', Float32Array.of(7)],
    ['m:2', Float32Array.of(8)],
  ])
  using database = new DatabaseSync(join(root, '.embeddings/cache.sqlite'))
  database.exec("UPDATE embeddings SET vector = x'000102' WHERE key = 'm:1'")
  t.same([...cache.get(['m:1', 'm:2']).keys()], ['m:2'])
})
