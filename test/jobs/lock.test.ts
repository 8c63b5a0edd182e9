import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'tap'
import { lockDataDir } from '../../src/jobs/lock.ts'

const LOCK_MODULE = new URL('../../src/jobs/lock.ts', import.meta.url).href

test('a second process is refused and told the URL of the first, until the first ends, however it ends', async t => {
  const dir = t.testdir()
  const holder = spawn(process.execPath, ['--input-type=module', '-e',
    `const { lockDataDir } = await import(${JSON.stringify(LOCK_MODULE)}); lockDataDir(process.argv[1]).announce('http://127.0.0.1:8123'); console.log('locked'); setInterval(() => {}, 1000)`,
    dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => { holder.kill('SIGKILL') })
  await once(holder.stdout, 'data')
  t.throws(() => lockDataDir(dir), { code: 'DATA_DIR_LOCKED', message: /http:\/\/127\.0\.0\.1:8123/, fix: /--server/ })
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const lock = lockDataDir(dir)
  t.throws(() => lockDataDir(dir), { code: 'DATA_DIR_LOCKED' }, 'also within one process')
  lock[Symbol.dispose]()
  lockDataDir(dir)[Symbol.dispose]()
})
