import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { collectFiles } from '../../../src/sandbox/workspace/collect.ts'
import { removeFolder, sweepWorkspaces } from '../../../src/sandbox/workspace/remove.ts'
import { fillWorkspace, prepareWorkspace } from '../../../src/sandbox/workspace/workspace.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const isRoot = process.getuid?.() === 0
const bash = (cwd: string, script: string) =>
  execFileSync('/bin/bash', ['-c', script], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })

function setup(t: Test) {
  const workspacesDir = join(testFolder(t), 'workspaces')
  t.teardown(() => {
    if (existsSync(workspacesDir)) {
      execFileSync('/bin/bash', ['-c', 'chmod -R u+rwX "$1"; rm -rf "$1"', 'bash', workspacesDir])
    }
  })
  const dir = join(workspacesDir, 'job', 'work')
  return { workspacesDir, dir, owner: { workspacesDir, account: null } }
}

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

test('only regular files are collected; everything else is named with its reason', async t => {
  const { dir, owner } = setup(t)
  await fillWorkspace(
    owner,
    dir,
    new Map([
      ['a.txt', 'a'],
      ['sub/b.txt', 'b'],
      ['skip/me.txt', 'no'],
    ]),
  )
  bash(
    dir,
    `for i in 1 2 3 4 5; do mkfifo pipe$i; done; ln -s /etc/passwd link; ln -s /etc folder-link; ln -s loop loop; ln a.txt twin
    truncate -s 1T sparse; truncate -s 11M large; touch "$(printf 'bad\\xff')" "$(printf 'two\\nlines')"; mkdir .git; touch .git/config; printf x > setid; chmod 6755 setid
    perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("sub/s")) or die $!'`,
  )
  const { files, skipped } = await collectFiles(dir, { ignore: ['skip'] })
  t.same(
    files.map(({ path, content }) => `${path}: ${content.toString()}`),
    ['a.txt: a', 'setid: x', 'sub/b.txt: b', 'twin: a'],
  )
  t.same(
    skipped.map(({ path, reason }) => `${path} ${reason}`).sort(),
    [
      '.git bad_name',
      'bad\uFFFD bad_name',
      'folder-link link',
      'large too_large',
      'link link',
      'loop link',
      'pipe1 fifo',
      'pipe2 fifo',
      'pipe3 fifo',
      'pipe4 fifo',
      'pipe5 fifo',
      'sparse too_large',
      'sub/s socket',
      'two\\u000Alines bad_name',
    ].sort(),
  )
  t.equal(statSync(join(dir, 'setid')).mode & 0o7777, 0o755, 'set-id bits are gone')
})

test('what is collected has limits in number, depth and size', async t => {
  const { dir, owner } = setup(t)
  await fillWorkspace(owner, dir, new Map(Array.from({ length: 30 }, (_, index) => [`f${index}`, 'x'.repeat(10)])))
  const limits = { entries: 1_000, depth: 64, fileBytes: 5_000, totalBytes: 1_000 }
  const few = await collectFiles(dir, { limits: { ...limits, entries: 20 } })
  t.match(few.skipped, [{ path: '', reason: 'too_many' }])
  t.equal(few.files.length, 20)
  const small = await collectFiles(dir, { limits: { ...limits, totalBytes: 95 } })
  t.equal(small.files.length, 9)
  t.equal(small.skipped.filter(({ reason }) => reason === 'total_too_large').length, 21)
  mkdirSync(join(dir, 'a/b/c/d'), { recursive: true })
  t.match((await collectFiles(dir, { limits: { ...limits, depth: 2 } })).skipped, [
    { path: 'a/b/c', reason: 'too_deep' },
  ])
  t.same(await collectFiles(join(dir, 'f1')), { files: [], skipped: [] })
})

test('a folder of 4,000 levels, closed ones and names of any bytes are deleted, and nothing beyond a link', async t => {
  const { workspacesDir, dir, owner } = setup(t)
  const outside = join(workspacesDir, 'outside')
  await prepareWorkspace(owner, dir)
  await prepareWorkspace(owner, outside)
  writeFileSync(join(outside, 'kept'), 'x')
  bash(
    dir,
    `ln -s ${outside} link; mkdir closed; touch closed/in; mkfifo pipe; touch "$(printf 'bad\\xff')" -- -rf; perl -e 'for (1..4000) { mkdir "d"; chdir "d" }'; chmod 000 closed; chmod 000 .`,
  )
  if (!isRoot) await t.rejects(rm(dir, { recursive: true }))
  await removeFolder(workspacesDir, join(workspacesDir, 'job'))
  t.notOk(existsSync(join(workspacesDir, 'job')))
  t.same(readdirSync(join(workspacesDir, '.trash')), [])
  t.equal(readFileSync(join(outside, 'kept'), 'utf8'), 'x')
  await removeFolder(workspacesDir, join(workspacesDir, 'job'))
  t.pass('a folder that is not there is no error')
})

test('the start deletes what a former process left, and folders that belong to nobody', async t => {
  const { workspacesDir } = setup(t)
  await sweepWorkspaces(workspacesDir)
  for (const name of ['.trash/x', '.run/y', '.node', 'job1', 'job2']) {
    mkdirSync(join(workspacesDir, name), { recursive: true })
  }
  await sweepWorkspaces(workspacesDir)
  t.same(readdirSync(workspacesDir).sort(), ['.node', 'job1', 'job2'])
  await sweepWorkspaces(workspacesDir, new Set(['job2']))
  t.same(readdirSync(workspacesDir).sort(), ['.node', 'job2'])
})

test(
  "what others put into a workspace becomes the sandbox account's",
  { skip: isRoot ? false : 'only root can give files away' },
  async t => {
    const { workspacesDir, dir } = setup(t)
    const owner = { workspacesDir, account: { uid: 64001, gid: 64001 } }
    mkdirSync(join(dir, 'sub'), { recursive: true })
    writeFileSync(join(dir, 'sub/file'), 'x')
    symlinkSync('/etc/passwd', join(dir, 'link'))
    await prepareWorkspace(owner, dir)
    await fillWorkspace(owner, dir, new Map([['new/file', 'x']]))
    for (const path of ['', 'sub', 'sub/file', 'link', 'new', 'new/file']) {
      t.equal(lstatSync(join(dir, path)).uid, 64001, path)
    }
    t.equal(statSync('/etc/passwd').uid, 0)
  },
)

test('what a program can leave behind is named or left out, never followed, and never waited for', async t => {
  const { workspacesDir, dir, owner } = setup(t)
  await prepareWorkspace(owner, dir)
  writeFileSync(join(workspacesDir, 'secret'), 'a secret')
  bash(
    dir,
    `printf 'x' > "$(printf 'a\\nb')"; printf x > "$(printf '\\xff\\xfe')"; mkdir "$(printf 'd\\xff')"; touch "$(printf 'd\\xff')/below"; truncate -s 10G sparse
    ln -s ../../secret up; ln -s . self; mkdir -p deep; cd deep; perl -e 'for (1..4000) { mkdir "d"; chdir "d" }'; cd ..; perl -e 'open(F, ">", "-rf"); print F "y"'; touch ' ' 'CON' 'trailing.'; mkfifo fifo`,
  )
  const { files, skipped } = await collectFiles(dir)
  t.same(
    files.map(({ path }) => path),
    ['-rf', 'CON', 'trailing.'],
  )
  t.same(
    skipped.map(({ path, reason }) => `${path.length > 60 ? '…' : path} ${reason}`).sort(),
    [
      '  bad_name',
      '… too_deep',
      'a\\u000Ab bad_name',
      'd\uFFFD bad_name',
      'fifo fifo',
      'self link',
      'sparse too_large',
      'up link',
      '\uFFFD\uFFFD bad_name',
    ].sort(),
  )
})

test("a link that took a folder's place while it was read is not followed", async t => {
  const { workspacesDir, dir, owner } = setup(t)
  const outside = join(workspacesDir, 'outside')
  mkdirSync(outside, { recursive: true })
  writeFileSync(join(outside, 'name'), 'a secret')
  await fillWorkspace(
    owner,
    dir,
    new Map([['sub/name', 'mine'], ...Array.from({ length: 50 }, (_, index) => [`sub/f${index}`, 'x'] as const)]),
  )
  symlinkSync(outside, join(dir, 'link'))
  const swapper = spawn(
    'perl',
    ['-e', 'for (;;) { rename "sub", "kept"; rename "link", "sub"; rename "sub", "link"; rename "kept", "sub" }'],
    { cwd: dir, stdio: 'ignore' },
  )
  t.teardown(() => swapper.kill('SIGKILL'))
  await once(swapper, 'spawn')
  let seen = 0
  for (const end = performance.now() + 1_500; performance.now() < end;) {
    const { files } = await collectFiles(dir)
    seen += files.length
    t.notOk(files.some(({ content }) => content.includes('secret')))
  }
  t.ok(seen > 0)
})
