import { test } from 'tap'
import { programEnv } from '../../../src/sandbox/jail/environment.ts'

const env = (own: Record<string, string>) => programEnv({ path: ['/opt/node/bin'], memoryMb: 1000, env: own })

test('a program gets a path with the toolchains first, a home, and variables of its own', async t => {
  t.match(env({ STAGE: 'test', HOME: '/workspace' }), {
    PATH: /^\/opt\/node\/bin:.*:\/usr\/bin:\/bin$/,
    HOME: '/workspace',
    TMPDIR: '/tmp',
    CI: '1',
    STAGE: 'test',
  })
})

test('the heap of Node stays below the memory limit, whatever else NODE_OPTIONS says', async t => {
  t.equal(env({}).NODE_OPTIONS, '--max-old-space-size=750')
  t.equal(env({ NODE_OPTIONS: '--trace-warnings' }).NODE_OPTIONS, '--max-old-space-size=750 --trace-warnings')
})

test('names that are none, and those that change how programs are started, are a bug of the caller', async t => {
  for (const name of ['', '1A', 'A-B', 'LD_PRELOAD', 'BASH_ENV', 'ENV', 'IFS', 'GLIBC_TUNABLES']) {
    t.throws(() => env({ [name]: 'x' }), { message: /cannot be given to a program/ }, name)
  }
  t.throws(() => env({ A: 'x\0y' }))
})
