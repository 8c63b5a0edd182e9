import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { checksumOf } from '../../../src/vecstore/format/durable-files.ts'
import { ChecksumMemory } from '../../../src/vecstore/format/checksum-memory.ts'

test('a file is read once while it is remembered, and what was not asked for longest is forgotten first', async t => {
  const folder = t.testdir()
  const memory = new ChecksumMemory(2)
  const [first, second, third] = await Promise.all(
    ['first', 'second', 'third'].map(async name => {
      const path = join(folder, name)
      writeFileSync(path, name)
      utimesSync(path, 1_000, 1_000)
      return { path, checksum: await checksumOf(path) }
    }),
  )
  if (first === undefined || second === undefined || third === undefined) throw new Error('There are three.')
  const look = async ({ path, checksum }: typeof first) => await memory.condition(path, checksum)
  for (const file of [first, second, first, third]) t.equal(await look(file), 'whole')
  for (const { path } of [first, second]) {
    // damage that only reading the file shows
    const { size } = statSync(path)
    writeFileSync(path, 'x'.repeat(size))
    utimesSync(path, 1_000, 1_000)
  }
  t.equal(await look(first), 'whole', 'remembered')
  t.equal(await look(second), 'damaged', 'forgotten, so read again')
  t.equal(await memory.condition(join(folder, 'none'), first.checksum), 'missing')
})
