import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { test } from 'tap'
import { tarGz } from '../../helpers/uploads.ts'
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

test("the files of an archive are committed as they are, without folders and what is git's own", async t => {
  const { clones, repos } = testRepos(t)
  const entries = [
    { name: 'shop/', type: 'directory' as const },
    { name: 'shop/src/cart.py', content: 'total = 1\n' },
    { name: 'shop/run', mode: 0o755, content: '#!/bin/sh\n' },
    { name: 'shop/start', type: 'symlink' as const, linkname: 'run' },
    { name: 'shop/src/.git/config', content: '[core]\n' },
  ]
  mkdirSync(join(clones, '.uploads'), { recursive: true })
  writeFileSync(join(clones, '.uploads', UPLOAD), await tarGz(entries))
  await repos.syncUpload({ upload: UPLOAD, projectName: 'shop', repository: 'shop' }, { signal, onProgress: () => {} })
  const git = (...args: string[]): string =>
    execFileSync('git', [`--git-dir=${join(clones, '.uploaded', 'shop', 'shop')}`, ...args]).toString()
  t.strictSame(git('ls-tree', '-r', '--format=%(objectmode) %(path)', 'HEAD').trim().split('\n'), [
    '100755 run',
    '100644 src/cart.py',
    '120000 start',
  ])
  t.equal(git('show', 'HEAD:src/cart.py'), 'total = 1\n')
  t.equal(git('show', 'HEAD:start'), 'run')
})

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
