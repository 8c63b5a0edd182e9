import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { readOwner } from '../../src/jobs/lock-owner.ts'
import { isLocked, lockFolders, proofOf } from '../../src/jobs/lock.ts'
import { DAMAGES } from '../helpers/damage.ts'
import { testFolder } from '../helpers/test-folder.ts'

const LOCK_MODULE = new URL('../../src/jobs/lock.ts', import.meta.url).href

test('a second process is refused and told the URL of the first, until the first ends, however it ends', async t => {
  const dir = testFolder(t)
  const holder = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { lockFolders } = await import(${JSON.stringify(LOCK_MODULE)}); const lock = lockFolders({ DATA_DIR: ` +
        "process.argv[1] }); lock.announce('http://127.0.0.1:8123'); console.log('locked'); setInterval(() => lock, " +
        '1000)',
      dir,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  t.teardown(() => {
    holder.kill('SIGKILL')
  })
  await once(holder.stdout, 'data')
  t.throws(() => lockFolders({ DATA_DIR: `${dir}/other`, VECTOR_STORE_DIR: dir }), {
    code: 'DATA_DIR_LOCKED',
    message: /VECTOR_STORE_DIR: faultline, process \d+, since 2.*Z; it listens on http:\/\/127\.0\.0\.1:8123\.$/,
    fix: /--server/,
  })
  t.ok(isLocked(dir))
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  t.notOk(isLocked(dir), 'what a killed process left says nothing')
  t.match(readOwner(dir), { pid: holder.pid }, 'though it is still there')
  const lock = lockFolders({ DATA_DIR: dir, CLONED_REPOS_DIR: dir })
  t.throws(() => lockFolders({ DATA_DIR: dir }), { code: 'DATA_DIR_LOCKED' }, 'also within one process')
  lock[Symbol.dispose]()
  lockFolders({ DATA_DIR: dir })[Symbol.dispose]()
})

test('a folder that cannot be made is named with its setting', async t => {
  t.throws(() => lockFolders({ VECTOR_STORE_DIR: '/dev/null/x' }), {
    code: 'CONFIG_INVALID',
    message: /^VECTOR_STORE_DIR=\/dev\/null\/x is not a folder/,
  })
})

test('a damaged lock file holds nobody up, one that is held does', t => {
  const dir = testFolder(t)
  const file = join(dir, '.lock.sqlite')
  lockFolders({ DATA_DIR: dir })[Symbol.dispose]()
  for (const [how, damage] of Object.entries(DAMAGES)) {
    damage(file)
    const lock = lockFolders({ DATA_DIR: dir })
    t.throws(() => lockFolders({ DATA_DIR: dir }), { code: 'DATA_DIR_LOCKED' }, how)
    lock[Symbol.dispose]()
  }
  mkdirSync(join(dir, '.owner.json'))
  t.doesNotThrow(() => lockFolders({ DATA_DIR: dir })[Symbol.dispose]())
  t.end()
})

test('where this process listens is told when it can be, and is no reason to end', t => {
  const dir = testFolder(t)
  using lock = lockFolders({ DATA_DIR: dir })
  rmSync(join(dir, '.owner.json'))
  mkdirSync(join(dir, '.owner.json'))
  t.doesNotThrow(() => lock.announce('http://127.0.0.1:1'))
  rmSync(join(dir, '.owner.json'), { recursive: true })
  lock.announce('http://127.0.0.1:1')
  t.throws(() => lockFolders({ DATA_DIR: dir }), { message: /listens on http:\/\/127\.0\.0\.1:1/ })
  t.end()
})

test('a second process hears who holds the folder, and that alone can prove it', t => {
  const dir = testFolder(t)
  t.equal(readOwner(dir), null)
  t.notOk(isLocked(dir))
  using lock = lockFolders({ DATA_DIR: dir }, 'faultline clone')
  t.throws(() => lockFolders({ DATA_DIR: dir }), {
    message: new RegExp(
      `^Another Faultline process uses this DATA_DIR: faultline clone, process ${process.pid}, since `,
    ),
    fix: /^Wait until it has ended/,
  })
  const owner = readOwner(dir)
  t.match(owner, { program: 'faultline clone', pid: process.pid, url: null })
  t.equal(lock.prove('a challenge'), proofOf(owner?.secret ?? '', 'a challenge'))
  t.not(lock.prove('a challenge'), lock.prove('another'))
  t.not(lock.prove('a challenge'), proofOf('0'.repeat(64), 'a challenge'))
  t.end()
})

test('only what this account has written for itself says who holds a folder', t => {
  const dir = testFolder(t)
  const file = join(dir, '.owner.json')
  using lock = lockFolders({ DATA_DIR: dir })
  lock.announce('http://127.0.0.1:1')
  const whole = readFileSync(file, 'utf8')
  const owner = JSON.parse(whole)
  chmodSync(file, 0o644)
  t.equal(readOwner(dir), null, 'a clone or an archive makes such files')
  chmodSync(file, 0o600)
  t.match(readOwner(dir), { url: 'http://127.0.0.1:1' })
  const put = (text: string) => writeFileSync(file, text)
  for (const changed of [{ program: '\u001B[31m' }, { pid: 'x' }, { since: 'now' }, { secret: '' }]) {
    put(JSON.stringify({ ...owner, ...changed }))
    t.equal(readOwner(dir), null, JSON.stringify(changed))
  }
  for (const url of ['javascript:1', 'http://me:key@127.0.0.1:1', 'http://127.0.0.1:1/?x', '']) {
    put(JSON.stringify({ ...owner, url }))
    t.match(readOwner(dir), { url: null }, url)
  }
  for (const text of ['', 'null', '[]', whole + ' '.repeat(5000)]) {
    put(text)
    t.equal(readOwner(dir), null, text.slice(0, 10))
  }
  rmSync(file)
  writeFileSync(join(dir, 'elsewhere'), whole, { mode: 0o600 })
  symlinkSync(join(dir, 'elsewhere'), file)
  t.equal(readOwner(dir), null, 'a link')
  t.end()
})
