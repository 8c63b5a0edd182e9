import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { lockFolders } from '../../src/jobs/lock.ts'
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
      `const { lockFolders } = await import(${JSON.stringify(LOCK_MODULE)}); lockFolders({ DATA_DIR: ` +
        "process.argv[1] }).announce('http://127.0.0.1:8123'); console.log('locked'); setInterval(() => {}, " +
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
    message: /VECTOR_STORE_DIR; it listens on http:\/\/127\.0\.0\.1:8123/,
    fix: /--server/,
  })
  holder.kill('SIGKILL')
  await once(holder, 'exit')
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
  mkdirSync(join(dir, '.owner.json'))
  t.doesNotThrow(() => lock.announce('http://127.0.0.1:1'))
  rmSync(join(dir, '.owner.json'), { recursive: true })
  lock.announce('http://127.0.0.1:1')
  t.throws(() => lockFolders({ DATA_DIR: dir }), { message: /listens on http:\/\/127\.0\.0\.1:1/ })
  t.end()
})
