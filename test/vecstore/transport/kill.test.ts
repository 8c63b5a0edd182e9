import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { openStore } from '../../../src/vecstore/store.ts'
import { index, manyFiles, prepare } from '../../indexer/index-fixture.ts'
import { CHILD_ENV } from '../../helpers/child-env.ts'
import { randomFrom } from '../../helpers/random-from.ts'
import { roundsOf } from '../../helpers/property-runs.ts'

const LOOP = fileURLToPath(new URL('assemble-in-a-loop.ts', import.meta.url))
const MAX_LINES = 60

/** Kills the process when it has printed so many lines, wherever it is by then. */
async function assembleUntilKilled(args: string[], lines: number): Promise<void> {
  const child = spawn(process.execPath, [LOOP, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env: CHILD_ENV })
  const ended = once(child, 'exit')
  let seen = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== '' && ++seen === lines) break
  }
  child.kill('SIGKILL')
  await ended
}

test('after a kill at any moment one of the two generations is published, whole, and nothing is left', async t => {
  const { store, repository, root } = prepare(t, manyFiles(40))
  const sources = [join(root, '..', 'first'), join(root, '..', 'second')]
  await index(store, repository)
  cpSync(join(root, 'shop'), sources[0] ?? '', { recursive: true })
  repository.commit({ 'src/cart_7.py': 'def changed_part(price):\n    return price\n', 'src/cart_8.py': null })
  await index(store, repository)
  cpSync(join(root, 'shop'), sources[1] ?? '', { recursive: true })

  const otherRoot = join(root, '..', 'other')
  mkdirSync(otherRoot)
  const other = openStore(otherRoot, { minFreeBytes: 0 })
  await other.createProject('shop')
  const projectDir = join(otherRoot, 'shop')
  const random = randomFrom(7)
  const published = new Set<number>()
  for (let round = 0; round < roundsOf(20); round++) {
    await assembleUntilKilled([projectDir, ...sources], 1 + Math.floor(random() * MAX_LINES))
    const again = openStore(otherRoot, { minFreeBytes: 0 })
    if ((await again.readManifest('shop')) === null) {
      t.same(published, new Set(), 'there was none yet')
      continue
    }
    await using reader = await again.openReader('shop')
    const { generation, chunksTotal } = reader.manifest
    published.add(generation)
    t.equal(reader.files().length, generation === 1 ? 40 : 39)
    t.equal(reader.files().flatMap(({ repository, path }) => reader.chunksOf(repository, path)).length, chunksTotal)
    t.equal(
      reader.searchVectors(new Float32Array(reader.manifest.embedding.dimensions).fill(1), 99).length,
      chunksTotal,
    )
    t.match(await again.inspect('shop'), { kind: 'whole', vectorsWhole: true, manifest: { generation } })
    await again.sweep()
    t.same(
      readdirSync(projectDir).filter(name => /^\d/.test(name)),
      [`00000${generation}`],
    )
  }
  t.ok(published.size > 0)
})
