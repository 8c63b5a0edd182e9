import { spawn } from 'node:child_process'
import { test } from 'tap'
import { programEnv } from '../../../src/sandbox/jail/environment.ts'
import { limiterArgv, ownHardLimits } from '../../../src/sandbox/limits/limits.ts'
import { processTree, treeMemoryBytes } from '../../../src/sandbox/limits/process-tree.ts'

test('limits are those asked for, and never above what the server itself has', async t => {
  const argv = limiterArgv(
    { timeoutMs: 60_000, processes: 128 },
    new Map([
      ['nofile', 256],
      ['data', 1_000],
    ]),
  )
  for (const option of ['--nproc=128', '--nofile=256', '--data=1000', '--core=0', '--fsize=268435456']) {
    t.ok(argv.includes(option), option)
  }
  const limits =
    'Limit                     Soft Limit           Hard Limit           Units     \nMax cpu time              unlimited            unlimited            seconds   \nMax open files            1024                 4096                 files     \n'
  t.same([...ownHardLimits(limits)], [['nofile', 4096]])
})

test('the heap of a Node program ends before its memory does, whatever else NODE_OPTIONS says', async t => {
  const env = programEnv({
    path: ['/opt/node/bin'],
    memoryMb: 1000,
    env: { NODE_OPTIONS: '--no-warnings', LANG: 'de_DE.UTF-8' },
  })
  t.match(env, {
    NODE_OPTIONS: '--max-old-space-size=750 --no-warnings',
    LANG: 'de_DE.UTF-8',
    CI: '1',
    PATH: /^\/opt\/node\/bin:.*\/usr\/bin:\/bin$/,
  })
})

test('the memory of a tree is that of all its processes', async t => {
  const child = spawn('/bin/bash', ['-c', 'sleep 60 & sleep 60 & wait'], { stdio: 'ignore', detached: true })
  const { pid = 0 } = child
  t.teardown(() => process.kill(-pid, 'SIGKILL'))
  while (processTree(pid).length < 3) await new Promise(resolve => setImmediate(resolve))
  t.ok(treeMemoryBytes(pid) > 100_000)
  t.equal(treeMemoryBytes(2 ** 22 + 1), 0, 'one that is not there has none')
})
