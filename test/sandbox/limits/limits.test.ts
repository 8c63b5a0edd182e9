import { test } from 'tap'
import { programEnv } from '../../../src/sandbox/jail/environment.ts'
import { limiterArgv, ownHardLimits } from '../../../src/sandbox/limits/limits.ts'

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
    'Limit                     Soft Limit           Hard Limit           Units     \n' +
    'Max cpu time              unlimited            unlimited            seconds   \n' +
    'Max open files            1024                 4096                 files     \n'
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
