import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { GIB, INSTALL, installLayer, keyOf, layeredSandbox } from '../../helpers/layers.ts'
import { inJail, testSandbox } from '../../helpers/sandbox.ts'
import { createSandbox } from '../../../src/sandbox/sandbox.ts'
import { SANDBOX_OPTIONS } from '../../helpers/sandbox-defaults.ts'

/** Every file of a folder with its kind, rights and content, as text. */
const stateOf = (folder: string): string =>
  execFileSync('/bin/bash', [
    '-c',
    'cd "$1" && find . -printf "%p %y %m %l %s\\n" | sort && find . -type f -exec sha256sum {} + | sort',
    'bash',
    folder,
  ]).toString()

test('a run sees what was installed below its own files, and in HOME', inJail, async t => {
  const { sandbox, workspace, bash, layer } = await layeredSandbox(t)
  await sandbox.fill(workspace, new Map([['package.json', '{"own": true}']]))
  const { stdout, stderr } = await bash(
    'cat package.json; echo; cat node_modules/a/index.js packages/p/node_modules/two "$HOME/.cache/tool/three"; ls -A',
    { layer },
  )
  t.equal(stdout, '{"own": true}\none\ntwo\nthree\ngenerated\nnode_modules\npackage.json\npackages\n', stderr)
  t.equal((await bash('ls -A; echo $HOME')).stdout, 'package.json\n/tmp\n', 'and a run without it nothing of that')
})

test('what an install was given is not kept, nor what is no file, nor rights that it gave', inJail, async t => {
  const { workspacesDir, layer } = await layeredSandbox(t)
  const folder = join(workspacesDir, '.layers', layer.key)
  t.same(readdirSync(join(folder, 'workspace')).sort(), ['generated', 'node_modules', 'packages'])
  t.same(readdirSync(join(folder, 'workspace/node_modules')).sort(), ['a', 'set'])
  t.same(readdirSync(join(folder, 'home')).sort(), ['.cache', '.local'])
  t.notMatch(stateOf(folder), /6755/)
})

test('what an install left is kept, however little a usual run may take', inJail, async t => {
  const { layer, sandbox } = await layeredSandbox(t, { timeoutMs: 1 })
  t.same(await sandbox.openLayer(layer.key), layer)
})

test('a program may change what it sees of a layer: in its workspace, and in HOME for its run', inJail, async t => {
  const { sandbox, workspace, workspacesDir, bash, layer } = await layeredSandbox(t)
  const before = stateOf(join(workspacesDir, '.layers'))
  const script = [
    'rm node_modules/a/index.js; echo mine > node_modules/set; mkdir node_modules/.cache',
    'echo x > node_modules/.cache/x; mv node_modules/.cache node_modules/.moved; echo y > "$HOME/y"; rm -r "$HOME/.cache"',
    'ls -A node_modules "$HOME"',
  ].join(' && ')
  const { stdout, exitCode } = await bash(script, { layer })
  t.match({ stdout, exitCode }, { stdout: /\.moved\na\nset\n/, exitCode: 0 })
  t.equal(
    (await bash('cat node_modules/set; ls -A $HOME', { layer })).stdout,
    'mine\n.cache\n.local\n',
    'in the same workspace',
  )
  t.equal(stateOf(join(workspacesDir, '.layers')), before)
  await sandbox.remove(workspace)
  t.equal(
    (await bash('cat node_modules/set node_modules/a/index.js', { layer })).stdout,
    'x\none\n',
    'and in a new one',
  )
  t.same(readdirSync(join(workspacesDir, '.run')), [], 'nothing is left beside')
})

test('a hostile program cannot change a layer', inJail, async t => {
  const { workspacesDir, bash, layer } = await layeredSandbox(t)
  const before = stateOf(join(workspacesDir, '.layers'))
  const hostile = `
    for at in /workspace /home/user; do
      find $at -exec chmod 777 {} + ; find $at -type f -exec sh -c 'echo poison > "$1"' _ {} \\; ; touch $at/poison
    done
    ln node_modules/a/index.js /tmp/out; ln node_modules/a/index.js node_modules/b; echo poison >> node_modules/b
    mv packages poisoned; rm -rf node_modules; mkdir node_modules; mknod node_modules/a c 0 0
    mount -o remount,rw /workspace; mount --bind /tmp /workspace; umount /workspace; umount /home/user
    mount -t overlay overlay -o userxattr,lowerdir=/usr,upperdir=/tmp,workdir=/tmp /workspace
    unshare --user --map-root-user --mount true; nsenter -t 1 -m true
    setfattr -n user.overlay.opaque -v y /workspace; setfattr -n user.overlay.redirect -v / /workspace/node_modules
    python3 -c 'import os; os.setxattr("/workspace", "user.overlay.redirect", b"/")'
    for root in /proc/*/root /proc/*/cwd /proc/*/fd/*; do
      find "$root${workspacesDir}" -type f -exec sh -c 'echo poison > "$1"' _ {} \\;
      echo poison > "$root/../../.layers/${layer.key}/workspace/generated"
    done
    for at in ${workspacesDir}/.layers/${layer.key} ../.layers/${layer.key} /workspace/../.layers/${layer.key}; do
      echo poison > $at/workspace/generated; rm -rf $at
    done
    true`
  await bash(hostile, { layer })
  t.equal(stateOf(join(workspacesDir, '.layers')), before)
  const { stdout } = await bash('cat node_modules/a/index.js generated; ls -A', {
    layer,
    workspace: join(workspacesDir, 'job', 'next'),
  })
  t.equal(stdout, 'one\ngenerated\nnode_modules\npackages\n', 'the next run sees it as it was installed')
})

test('what an install marks as overlays do leads nowhere', inJail, async t => {
  const made = await layeredSandbox(t)
  const script = `mkdir lib; truncate -s 2000 lib/passwd; python3 - <<'END'
import os
for path, mark, value in [
    ("lib/passwd", "redirect", b"/../../../../../../etc/passwd"), ("lib/passwd", "metacopy", b""),
    ("lib", "redirect", b"/../../../../../../etc"), (os.environ["HOME"], "redirect", b"/.."), (".", "opaque", b"y"),
]:
    try: os.setxattr(path, "user.overlay." + mark, value)
    except OSError: pass  # a file system without such marks
END`
  const layer = await installLayer(made, { key: keyOf('e'), script })
  const { stdout } = await made.bash('cat lib/passwd; ls -A lib "$HOME"', { layer })
  t.notMatch(stdout, /root:|hosts|\.layers/)
})

test('the promises of the jail hold on a layer', inJail, async t => {
  const { workspacesDir, bash, layer } = await layeredSandbox(t)
  const { stdout } = await bash(
    `grep -E "^Cap|NoNewPrivs|Seccomp:" /proc/self/status; id -u; cat /etc/passwd; ls -A ${workspacesDir} /home 2>&1
     ls /proc | grep -c "^[0-9]"; (echo > /proc/sys/kernel/core_pattern) 2>&1; (echo > /usr/x) 2>&1; (echo > /x) 2>&1`,
    { layer },
  )
  t.match(stdout, /CapPrm:\t0+\nCapEff:\t0+\nCapBnd:\t0+\nCapAmb:\t0+\nNoNewPrivs:\t1\nSeccomp:\t2\n1000\n/)
  t.match(stdout, /user:x:1000:1000::\/home\/user:/)
  t.match(stdout, /No such file or directory/)
  t.equal(stdout.match(/Read-only file system|Permission denied/g)?.length, 3, stdout)
})

test('what a program writes to HOME counts for the limit of the disk', inJail, async t => {
  const { bash, layer } = await layeredSandbox(t)
  const script = 'head -c 60M /dev/zero > "$HOME/big"; while :; do :; done'
  t.match(await bash(script, { layer, limits: { diskMb: 20 } }), { killedBy: 'disk' })
})

test('a layer that was damaged is found so by the next server, and made again', inJail, async t => {
  const { sandbox, workspacesDir, layer, workspace } = await layeredSandbox(t)
  t.same(await sandbox.openLayer(layer.key), layer)
  t.equal(await sandbox.openLayer(keyOf('b')), null, 'one that nobody made')
  rmSync(join(workspacesDir, '.layers', layer.key, 'workspace/node_modules/a/index.js'))
  const next = createSandbox({ ...SANDBOX_OPTIONS, workspacesDir })
  t.teardown(() => next.close())
  t.equal(await next.openLayer(layer.key), null)
  t.notOk(existsSync(join(workspacesDir, '.layers', layer.key)), 'the broken one is gone')
  const run = next.run({ argv: ['true'], workspace, layer, signal: new AbortController().signal })
  await t.rejects(run, { code: 'ENVIRONMENT_FAILED', message: /was deleted/ })
  await installLayer({ sandbox: next, workspacesDir })
  t.same(await next.openLayer(layer.key), layer)
  writeFileSync(join(workspacesDir, '.layers', layer.key, 'manifest.json'), '{"version": 1, "ent')
  t.equal(await next.openLayer(layer.key), null, 'nor is one whose manifest was cut off')
})

test('a layer that is larger than all may be is refused, and one that is there stays', inJail, async t => {
  const test = await testSandbox(t)
  t.teardown(() => test.sandbox.remove(join(test.workspacesDir, '.layers')))
  await t.rejects(installLayer(test, { limitBytes: 10 }), { code: 'ENVIRONMENT_FAILED', fix: /ENVIRONMENTS_GB/ })
  t.equal(await test.sandbox.openLayer(keyOf('a')), null)
  await installLayer(test)
  await installLayer(test, { script: `${INSTALL}; echo second > node_modules/a/index.js` })
  t.equal(
    readFileSync(join(test.workspacesDir, '.layers', keyOf('a'), 'workspace/node_modules/a/index.js'), 'utf8'),
    'one\n',
  )
})

test('where no overlay can be mounted each run gets a copy', inJail, async t => {
  const test = await layeredSandbox(t)
  const { workspacesDir, layer } = test
  const odd = join(workspacesDir, 'job', 'a:b,c') // such names mean something in the options of a mount
  const script = 'cat node_modules/a/index.js "$HOME/.cache/tool/three"; echo poison > node_modules/a/index.js'
  await test.sandbox.fill(odd, new Map([['generated', 'own']]))
  t.equal((await test.bash(`${script}; cat generated`, { layer, workspace: odd })).stdout, 'one\nthree\nown')
  t.equal((await test.bash(script, { layer })).stdout, 'one\nthree\n')
  t.ok(existsSync(join(odd, 'node_modules/a/index.js')))
})

test('without a jail each run gets a copy, too', async t => {
  if (process.getuid?.() === 0) return t.pass('root runs nothing without a jail')
  const { bash, layer } = await layeredSandbox(t, { mode: 'unsafe-host' })
  const script = 'cat node_modules/a/index.js "$HOME/.cache/tool/three"; echo poison > node_modules/a/index.js'
  t.equal((await bash(script, { layer })).stdout, 'one\nthree\n')
  t.equal(GIB, 2 ** 30)
})
