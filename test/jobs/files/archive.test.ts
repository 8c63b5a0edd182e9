import { execFileSync } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { test } from 'tap'
import { archiveOf } from '../../../src/jobs/files/archive.ts'

const file = (path: string, content: string) => ({ path, bytes: content.length, sha256: path })

test('an archive is made of what is read, is the same each time, and holds one file at once', async t => {
  const files = Array.from({ length: 300 }, (_, i) => file(`${'folder/'.repeat(20)}file-${i}`, 'x'))
  let reading = 0
  const make = () =>
    buffer(
      archiveOf(files, async ({ path }) => {
        t.equal(++reading, 1)
        await Promise.resolve()
        reading--
        return Buffer.from(path.repeat(1000))
      }),
    )
  const first = await make()
  t.ok(first.equals(await make()))
  t.equal(execFileSync('tar', ['tzf', '-'], { input: first }).toString().trim().split('\n').length, 300)
})

test('an archive of which a file cannot be read ends with that error, not as if it were whole', async t => {
  const read = async ({ path }: { path: string }) => {
    if (path === 'b') throw new Error('the bytes of b are gone')
    return Buffer.alloc(100_000)
  }
  await t.rejects(buffer(archiveOf([file('a', ''), file('b', ''), file('c', '')], read)), {
    message: 'the bytes of b are gone',
  })
})

test('whoever stops reading an archive stops the reading of files', async t => {
  let reads = 0
  const archive = archiveOf(
    Array.from({ length: 10_000 }, (_, i) => file(`f${i}`, '')),
    async () => {
      reads++
      return crypto.getRandomValues(new Uint8Array(60_000))
    },
  )
  for await (const chunk of archive) if ((chunk as Buffer).length > 0) break
  const before = reads
  await new Promise(resolve => setImmediate(resolve))
  t.ok(reads - before < 20 && reads < 100, `${reads} reads`)
})
