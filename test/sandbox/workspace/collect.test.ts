import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { collectFiles } from '../../../src/sandbox/workspace/collect.ts'
import { fillWorkspace, prepareWorkspace } from '../../../src/sandbox/workspace/workspace.ts'
import { bash, setup } from './in-workspace.ts'

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
  for (const totalBytes of [90, 99]) {
    const small = await collectFiles(dir, { limits: { ...limits, totalBytes } })
    t.equal(small.files.length, 9)
    t.equal(small.skipped.filter(({ reason }) => reason === 'total_too_large').length, 21)
  }
  t.equal((await collectFiles(dir, { limits: { ...limits, fileBytes: 4096 } })).files.length, 30)
  t.same((await collectFiles(dir, { limits: { ...limits, fileBytes: 4095 } })).files, [])
  mkdirSync(join(dir, 'a/b/c/d'), { recursive: true })
  t.match((await collectFiles(dir, { limits: { ...limits, depth: 2 } })).skipped, [
    { path: 'a/b/c', reason: 'too_deep' },
  ])
  t.same(await collectFiles(join(dir, 'f1')), { files: [], skipped: [] })
})

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

test('files may be asked for by path, by name, or as the XML of folders; nothing else is read', async t => {
  const { dir, owner } = setup(t)
  const paths = ['a.xml', 'b/a.xml', 'b/report.json', 'm/target/r/x.xml', 'm/target/r/x.txt', 'm/other-target/r/y.xml']
  await fillWorkspace(owner, dir, new Map(paths.map(path => [path, path])))
  bash(dir, 'ln -s /etc/passwd b/c.xml; ln -s /etc/passwd elsewhere')
  const { files, skipped } = await collectFiles(dir, { only: ['a.xml', '.../report.json', 'target/r/', 'b/c.xml'] })
  t.same(
    files.map(({ path }) => path),
    ['a.xml', 'b/report.json', 'm/target/r/x.xml'],
  )
  t.match(skipped, [{ path: 'b/c.xml', reason: 'link' }], 'what is not asked for is not mentioned')
})

test('the files of one folder are found among any number of others', async t => {
  const { dir, owner } = setup(t)
  const others = Array.from({ length: 30 }, (_, index): [string, string] => [`src/f${index}`, 'x'])
  await fillWorkspace(
    owner,
    dir,
    new Map([...others, ['db/out/1.sql', 'a'], ['db/out/meta/1.json', 'b'], ['db/x', 'c']]),
  )
  const limits = { entries: 8, depth: 64, fileBytes: 5_000, totalBytes: 1_000 }
  const { files, skipped } = await collectFiles(dir, { below: 'db/out', limits })
  t.same(
    files.map(({ path }) => path),
    ['db/out/1.sql', 'db/out/meta/1.json'],
  )
  t.same(skipped, [])
})
