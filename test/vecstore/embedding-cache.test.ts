import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openEmbeddingCache } from '../../src/vecstore/embedding-cache.ts'

test('what was put is got, exactly, by a later process, too', async (t) => {
  const root = t.testdir()
  {
    using cache = openEmbeddingCache(root)
    cache.put([['m:1', Float32Array.of(0.1, -2, 3)], ['m:2', Float32Array.of(1)]])
    cache.put([['m:2', Float32Array.of(5)]])
  }
  using cache = openEmbeddingCache(root)
  const found = cache.get(['m:1', 'm:2', 'm:3'])
  t.same(found, new Map([['m:1', Float32Array.of(0.1, -2, 3)], ['m:2', Float32Array.of(5)]]))
  t.equal(cache.get(Array.from({ length: 1_000 }, (_, i) => `m:${i}`)).size, 2)
  t.same(cache.get([]), new Map())
})

test('what was put survives a kill', async (t) => {
  const root = t.testdir()
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', `
    import { openEmbeddingCache } from ${JSON.stringify(new URL('../../src/vecstore/embedding-cache.ts', import.meta.url).href)}
    const cache = openEmbeddingCache(${JSON.stringify(root)})
    cache.put([['m:1', Float32Array.of(7)]])
    process.stdout.write('put')
    setInterval(() => {}, 1000)
  `], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  using cache = openEmbeddingCache(root)
  t.same(cache.get(['m:1']).get('m:1'), Float32Array.of(7))
})

test('a damaged file is begun anew', async (t) => {
  const root = t.testdir({ '.embeddings': {} })
  writeFileSync(join(root, '.embeddings/cache.sqlite'), 'this is no database, whatever its name says'.repeat(100))
  using cache = openEmbeddingCache(root)
  cache.put([['m:1', Float32Array.of(7)]])
  t.equal(cache.get(['m:1']).size, 1)
})
