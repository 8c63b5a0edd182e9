import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { test } from 'tap'
import {
  clientEnvironment,
  dataFoldersBelow,
  DEFAULT_ROOT,
  fewArenas,
  littleKept,
  PACKAGE_ROOT,
} from '../../src/config/client.ts'
import { withoutEmpty } from '../../src/config/env-files.ts'

test('a checkout keeps its data beside the code', async t => {
  t.ok(existsSync(join(PACKAGE_ROOT, 'package.json')))
  t.equal(DEFAULT_ROOT, PACKAGE_ROOT)
})

test('a variable that is set to nothing is not set', async t => {
  t.same(withoutEmpty({ A: 'a', B: '', C: undefined }), { A: 'a' })
})

test('the command line reads its server, its key and whether to show where a bug happened', async t => {
  t.same(clientEnvironment({}), {
    server: undefined,
    apiKey: undefined,
    pager: undefined,
    stepSummary: undefined,
    debug: false,
  })
  t.same(
    clientEnvironment({
      FAULTLINE_SERVER: 'http://a',
      FAULTLINE_API_KEY: 'k',
      DEBUG: 'TRUE',
      PAGER: 'most',
      GITHUB_STEP_SUMMARY: '/s',
    }),
    {
      server: 'http://a',
      apiKey: 'k',
      pager: 'most',
      stepSummary: '/s',
      debug: true,
    },
  )
  t.equal(clientEnvironment({ DEBUG: 'faultline:*' }).debug, false)
  t.equal(clientEnvironment({ FAULTLINE_SERVER: '' }).server, undefined)
})

test('all data folders lie below one, by default the own one of the user', async t => {
  t.same(dataFoldersBelow('/d'), {
    DATA_DIR: '/d/data',
    VECTOR_STORE_DIR: '/d/vector_store',
    CLONED_REPOS_DIR: '/d/cloned_repos',
  })
  for (const folder of Object.values(dataFoldersBelow())) {
    t.ok(isAbsolute(folder ?? '') && folder?.includes('faultline'))
  }
})

test('a process has few arenas of malloc, and none of the limits of the server itself', async t => {
  t.same(fewArenas({ PATH: '/bin', MALLOC_MMAP_THRESHOLD_: '1', MALLOC_TRIM_THRESHOLD_: '2' }), {
    PATH: '/bin',
    MALLOC_ARENA_MAX: '2',
  })
})

test('a process that stays gives back what it frees, whatever the server was started with', async t => {
  t.same(littleKept({ PATH: '/bin', MALLOC_MMAP_THRESHOLD_: '1', MALLOC_TRIM_THRESHOLD_: '2' }), {
    PATH: '/bin',
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '65536',
    MALLOC_TRIM_THRESHOLD_: '131072',
  })
})

test("the server and its key may stand in the user's files, which the environment wins over", t => {
  const folder = t.testdir({
    installation: 'FAULTLINE_SERVER=http://127.0.0.1:1\n',
    user: 'FAULTLINE_API_KEY=key\nDEBUG=1\n',
  })
  const files = ['installation', 'user', 'missing'].map(name => join(folder, name))
  t.match(clientEnvironment({}, files), { server: 'http://127.0.0.1:1', apiKey: 'key', debug: false })
  t.match(clientEnvironment({ FAULTLINE_SERVER: 'http://127.0.0.1:2' }, files), { server: 'http://127.0.0.1:2' })
  t.end()
})
