import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'tap'
import { removeFolder } from '../../../src/sandbox/workspace/remove.ts'
import { fillWorkspace, prepareWorkspace } from '../../../src/sandbox/workspace/workspace.ts'
import { isRoot, setup } from './in-workspace.ts'

test('files are written with their folders, and scripts may be executed', async t => {
  const { dir, owner } = setup(t)
  await fillWorkspace(
    owner,
    dir,
    new Map<string, string | Uint8Array>([
      ['run.sh', '#!/bin/sh\n'],
      ['a/b/c.txt', 'text'],
      ['./a\\d.bin', Buffer.from([0, 255])],
    ]),
  )
  t.equal(statSync(join(dir, 'run.sh')).mode & 0o777, 0o755)
  t.equal(statSync(join(dir, 'a/b/c.txt')).mode & 0o777, 0o644)
  t.same([...readFileSync(join(dir, 'a/d.bin'))], [0, 255])
  await fillWorkspace(owner, dir, new Map([['run.sh', 'changed']]))
  t.equal(statSync(join(dir, 'run.sh')).mode & 0o777, 0o755, 'a file that is replaced keeps its mode')
  t.same(readdirSync(dir).sort(), ['a', 'run.sh'], 'nothing else is left')
})

test("no link is followed: neither one at a file's place nor one on the way", async t => {
  const { workspacesDir, dir, owner } = setup(t)
  await prepareWorkspace(owner, dir)
  const outside = join(workspacesDir, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'file'), 'untouched')
  symlinkSync(join(outside, 'file'), join(dir, 'link.txt'))
  symlinkSync(outside, join(dir, 'folder'))
  await fillWorkspace(owner, dir, new Map([['link.txt', 'mine']]))
  t.equal(readFileSync(join(outside, 'file'), 'utf8'), 'untouched')
  t.ok(lstatSync(join(dir, 'link.txt')).isFile())
  await t.rejects(fillWorkspace(owner, dir, new Map([['folder/file', 'mine']])), { code: 'BAD_PATH' })
  await t.rejects(fillWorkspace(owner, dir, new Map([['link.txt/below', 'mine']])), { code: 'BAD_PATH' })
  t.same(readdirSync(outside), ['file'])
})

test('paths that leave the workspace are refused, and folders outside of WORKSPACES_DIR are a bug', async t => {
  const { workspacesDir, dir, owner } = setup(t)
  for (const path of ['../x', '/etc/x', 'a/../../x', '.git/config', 'a\0b', '']) {
    await t.rejects(fillWorkspace(owner, dir, new Map([[path, 'x']])), { code: 'BAD_PATH' }, path)
  }
  mkdirSync(join(dir, 'folder'))
  await t.rejects(fillWorkspace(owner, dir, new Map([['folder', 'x']])), { code: 'BAD_PATH' })
  t.same(readdirSync(dir), ['folder'])
  for (const folder of [workspacesDir, `${workspacesDir}/..`, '/etc', `${workspacesDir}/../other`]) {
    await t.rejects(prepareWorkspace(owner, folder), { message: /below WORKSPACES_DIR/ })
    await t.rejects(removeFolder(workspacesDir, folder), { message: /below WORKSPACES_DIR/ })
  }
})

test('a folder that a program closed is opened for what is written into it', async t => {
  const { dir, owner } = setup(t)
  mkdirSync(join(dir, 'sub/open'), { recursive: true })
  chmodSync(join(dir, 'sub/open'), 0o755)
  chmodSync(join(dir, 'sub'), 0o045)
  await fillWorkspace(owner, dir, new Map([['sub/open/file', 'x']]))
  t.equal(statSync(join(dir, 'sub')).mode & 0o777, 0o745)
  t.equal(statSync(join(dir, 'sub/open')).mode & 0o777, 0o755)
})

test(
  "the server's own folders on the way to a workspace let its account pass, others stay closed",
  { skip: isRoot ? false : 'only root has programs run as another account' },
  async t => {
    const { workspacesDir, dir } = setup(t)
    const [above, other] = [dirname(workspacesDir), join(dirname(workspacesDir), 'other')]
    mkdirSync(other, { mode: 0o700 })
    chmodSync(above, 0o700)
    const account = { uid: 64001, gid: 64001 }
    await prepareWorkspace({ workspacesDir, account, ownFolders: [above, other, workspacesDir] }, dir)
    t.equal(statSync(above).mode & 0o777, 0o711)
    t.equal(statSync(workspacesDir).mode & 0o777, 0o711)
    t.equal(statSync(other).mode & 0o777, 0o700)
    chmodSync(above, 0o700)
    await prepareWorkspace({ workspacesDir, account: null, ownFolders: [above] }, dir)
    t.equal(statSync(above).mode & 0o777, 0o700, 'programs of the same user need no way')
  },
)

test(
  "what others put into a workspace becomes the sandbox account's",
  { skip: isRoot ? false : 'only root can give files away' },
  async t => {
    const { workspacesDir, dir } = setup(t)
    const owner = { workspacesDir, account: { uid: 64001, gid: 64001 } }
    mkdirSync(join(dir, 'sub'), { recursive: true })
    writeFileSync(join(dir, 'sub/file'), 'x')
    symlinkSync('/etc/passwd', join(dir, 'link'))
    symlinkSync('/etc', join(dir, 'folder'))
    const odd = Buffer.concat([Buffer.from(`${dir}/sub/`), Buffer.from([0xff])])
    writeFileSync(odd, 'no text')
    for (let file = 0; file < 120; file++) writeFileSync(join(dir, `sub/${file}`), 'x')
    await prepareWorkspace(owner, dir)
    t.equal(lstatSync(odd).uid, 64001, 'a name that is no text')
    await fillWorkspace(owner, dir, new Map([['new/file', 'x']]))
    for (const path of ['', 'sub', 'sub/file', 'sub/119', 'link', 'folder', 'new', 'new/file']) {
      t.equal(lstatSync(join(dir, path)).uid, 64001, path)
    }
    t.equal(statSync('/etc/passwd').uid, 0)
    t.equal(statSync('/etc').uid, 0)
  },
)
