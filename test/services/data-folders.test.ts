import { execFileSync } from 'node:child_process'
import fs, { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { lockDataFolders, makeDataFolders } from '../../src/services/data-folders.ts'
import { closedFolder } from '../../src/sandbox/jail/account.ts'
import { testFolder } from '../helpers/test-folder.ts'

const NO_RESERVE = { giveUp: () => false }

test('one process at a time has the folders; another one hears where it is', async t => {
  const config = loadConfig({ root: testFolder(t), env: {} })
  const lock = lockDataFolders(config, NO_RESERVE)
  lock.announce('http://127.0.0.1:8080')
  t.throws(() => lockDataFolders(config, NO_RESERVE), { code: 'DATA_DIR_LOCKED' })
  lock[Symbol.dispose]()
  t.doesNotThrow(() => lockDataFolders(config, NO_RESERVE)[Symbol.dispose]())
})

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const NOBODY = { uid: 65534, gid: 65534 }
const CANNOT_BECOME_NOBODY = process.getuid?.() !== 0 || closedFolder(import.meta.filename, NOBODY) !== null
const ANYBODY = { uid: 1000, defaultParents: [] }
const ROOT = { uid: 0, defaultParents: [] }

test('on a full disk the room set aside is given up for the folders, too', async t => {
  const root = testFolder(t)
  const config = loadConfig({ root, env: { DATA_DIR: join(root, 'new') } })
  const { mkdirSync: make } = fs
  const restore = () => {
    fs.mkdirSync = make
    syncBuiltinESMExports()
  }
  t.teardown(restore)
  fs.mkdirSync = () => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
  syncBuiltinESMExports()
  t.throws(() => lockDataFolders(config, NO_RESERVE), { code: 'DISK_FULL', message: /^The disk that holds DATA_DIR=/ })
  const giveUp = () => {
    restore()
    return true
  }
  lockDataFolders(config, { giveUp })[Symbol.dispose]()
  t.ok(existsSync(config.dataDir))
})

test('folders that cannot be kept in are refused, each with its setting, the reason and what to do', async t => {
  const root = testFolder(t)
  writeFileSync(join(root, 'file'), '')
  symlinkSync(join(root, 'circle'), join(root, 'circle'))
  const cases: Array<[Record<string, string>, RegExp]> = [
    [{ DATA_DIR: '/proc/x' }, /^DATA_DIR=\/proc\/x cannot be used: what lies there is made up by the kernel\.$/],
    [{ DATA_DIR: '/proc/a/b/c' }, /^DATA_DIR=\/proc\/a\/b\/c cannot be used: .* by the kernel\.$/],
    [{ CLONED_REPOS_DIR: '/sys/x' }, /^CLONED_REPOS_DIR=\/sys\/x cannot be used: .* by the kernel\.$/],
    [{ VECTOR_STORE_DIR: '/proc' }, /^VECTOR_STORE_DIR=\/proc cannot be used: .* by the kernel\.$/],
    [{ WORKSPACES_DIR: join(root, 'file') }, /^WORKSPACES_DIR=.* cannot be used: .*file is a file\.$/],
    [{ VECTOR_STORE_DIR: join(root, 'file/x') }, /^VECTOR_STORE_DIR=.* cannot be used: .*file is a file\.$/],
    [{ CLONED_REPOS_DIR: join(root, 'circle/x') }, /cannot be used: its links lead in a circle\.$/],
    [{ CLONED_REPOS_DIR: join(root, 'x'.repeat(300)) }, /cannot be used: the path is too long\.$/],
    [
      { ALLOW_LOCAL_REPOS: `${root},/nonexistent/repos` },
      /^ALLOW_LOCAL_REPOS=\/nonexistent\/repos .*no such folder\.$/,
    ],
    [{ ALLOW_LOCAL_REPOS: join(root, 'file') }, /^ALLOW_LOCAL_REPOS=.* it is a file\.$/],
  ]
  for (const [env, message] of cases) {
    const config = loadConfig({ root, env })
    t.throws(
      () => makeDataFolders(config, ANYBODY),
      { code: 'CONFIG_INVALID', message, fix: /\.$/ },
      JSON.stringify(env),
    )
  }
})

test(
  'a folder of another account is refused to one that may not write there',
  { skip: CANNOT_BECOME_NOBODY },
  async t => {
    const program = `
    process.setgid(65534); process.setuid(65534)
    const { loadConfig } = await import('${new URL('../../src/config.ts', import.meta.url).href}')
    const { makeDataFolders } = await import('${new URL('../../src/services/data-folders.ts', import.meta.url).href}')
    try { makeDataFolders(loadConfig({ root: '/var', env: {} })) } catch ({ message, fix }) { console.log(message, fix) }`
    const argv = ['--input-type=module-typescript', '-e', program]
    const said = execFileSync(process.execPath, argv, { encoding: 'utf8', cwd: '/' })
    t.match(said, 'DATA_DIR=/var/data cannot be used: this account may not write there. Set DATA_DIR to a folder')
  },
)

test('a missing folder is made closed, and those on its way can be passed', async t => {
  const root = testFolder(t)
  const config = loadConfig({
    root,
    env: { DATA_DIR: join(root, 'a/b/data'), AI_PIPELINE_DB_PATH: join(root, 'jobs/x.sqlite') },
  })
  makeDataFolders(config, ANYBODY)
  t.same(
    ['a', 'a/b', 'a/b/data', 'a/b/data/workspaces', 'vector_store', 'jobs'].map(path => modeOf(join(root, path))),
    ['711', '711', '700', '700', '700', '700'],
  )
  t.doesNotThrow(() => makeDataFolders(config, ANYBODY), 'what is there is taken')
})

test('root makes no folder on the way to the programs of the sandbox, except where no setting names one', async t => {
  const root = testFolder(t)
  const at = (DATA_DIR: string, WORKSPACES_DIR?: string) =>
    loadConfig({
      root,
      env: { DATA_DIR: join(root, DATA_DIR), WORKSPACES_DIR: WORKSPACES_DIR && join(root, WORKSPACES_DIR) },
    })
  t.throws(() => makeDataFolders(at('a/data'), ROOT), {
    code: 'CONFIG_INVALID',
    message: /^DATA_DIR=.*\/a\/data cannot be used: .*\/a does not exist, and the account that runs programs/,
    fix: `Make it first: mkdir -p ${join(root, 'a')}.`,
  })
  t.throws(() => makeDataFolders(at('data', 'b/work'), ROOT), { message: /^WORKSPACES_DIR=.*\/b does not exist/ })
  t.doesNotThrow(() => makeDataFolders(at('a/data'), { uid: 0, defaultParents: [join(root, 'a')] }))
  t.equal(modeOf(join(root, 'a')), '711')
  mkdirSync(join(root, 'c'))
  t.doesNotThrow(() => makeDataFolders(at('c/data', 'c/work'), ROOT))
  t.doesNotThrow(() => makeDataFolders(at('d', 'd/programs'), ROOT), 'below DATA_DIR')
})
