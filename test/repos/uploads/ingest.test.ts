import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { test } from 'tap'
import { testRepos } from '../test-repos.ts'

const { signal } = new AbortController()
const UPLOAD = `upl_${'0'.repeat(32)}`

/** The header of an entry with this many bytes, of which none follow. */
async function headerOf(size: number): Promise<Buffer> {
  const tar = pack()
  tar.entry({ name: 'bomb.py' }, '')
  tar.finalize()
  const header = (await buffer(tar)).subarray(0, 512)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

test('a bomb is cut off before the disk is full, and nothing of it stays', async t => {
  const { clones, repos } = testRepos(t, { limits: { maxBytes: 8_388_608 } })
  mkdirSync(join(clones, '.uploads'), { recursive: true })
  const bomb = gzipSync(Buffer.concat([await headerOf(1_073_741_824), Buffer.alloc(33_554_432)]))
  t.ok(bomb.length < 100_000)
  writeFileSync(join(clones, '.uploads', UPLOAD), bomb)
  await t.rejects(
    repos.syncUpload({ upload: UPLOAD, projectName: 'shop', repository: 'shop' }, { signal, onProgress: () => {} }),
    { code: 'REPOSITORY_TOO_LARGE' },
  )
  t.strictSame(readdirSync(join(clones, '.uploaded', 'shop')), [])
})

test('no name of an upload or a repository leads to another file', async t => {
  const { repos } = testRepos(t)
  const sync = (upload: string, repository: string) =>
    repos.syncUpload({ upload, projectName: 'shop', repository }, { signal, onProgress: () => {} })
  await t.rejects(sync('../secret', 'shop'), { code: 'NOT_FOUND' })
  await t.rejects(sync(UPLOAD, '../shop'), { code: 'BAD_REQUEST' })
  await repos.discardUpload('../../etc/passwd')
})
