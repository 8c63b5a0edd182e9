import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { BEGIN } from '../../../src/sandbox/jail/command-line.ts'
import { findMemoryGroups, type ProcFiles } from '../../../src/sandbox/jail/memory-groups.ts'

const MIB = 1024 * 1024

/** The kernel's files as they would be; a group's own are made by the writes. */
function fakeProc(
  t: Test,
  { cgroup, mounts }: { cgroup: string; mounts: (root: string) => string },
): ProcFiles & { root: string } {
  const root = t.testdir({ proc: {} })
  const files = { cgroup: join(root, 'proc', 'cgroup'), mountinfo: join(root, 'proc', 'mountinfo') }
  writeFileSync(files.cgroup, cgroup)
  writeFileSync(files.mountinfo, mounts(root))
  return { ...files, root }
}

const v2Mount = (root: string) => `41 31 0:38 / ${root}/v2 rw,relatime shared:9 - cgroup2 cgroup2 rw\n`
const v1Mount = (root: string) =>
  `32 31 0:29 / ${root}/cpu rw - cgroup cgroup rw,cpu\n35 31 0:32 / ${root}/memory rw,relatime - cgroup cgroup rw,memory\n`

function groupIn(folder: string): Record<string, string> {
  const [name = ''] = readdirSync(folder).filter(one => one.startsWith('faultline-'))
  return Object.fromEntries(
    readdirSync(join(folder, name)).map(file => [file, readFileSync(join(folder, name, file), 'utf8')]),
  )
}

test('version 1: groups lie below that of the server, and swap counts', async t => {
  const proc = fakeProc(t, {
    cgroup: '9:cpu:/\n4:memory:/app/server\n0::/\n',
    mounts: root => v1Mount(root) + v2Mount(root),
  })
  const own = join(proc.root, 'memory/app/server')
  mkdirSync(own, { recursive: true })
  const group = findMemoryGroups(proc)?.take(100 * MIB)
  t.match(group?.folder, own)
  t.match(groupIn(own), { 'memory.limit_in_bytes': `${100 * MIB}`, 'memory.memsw.limit_in_bytes': `${100 * MIB}` })
})

test('version 1 in a container: the mount shows only what lies below its root', async t => {
  const proc = fakeProc(t, {
    cgroup: '4:cpu,memory:/docker/abc/inner\n',
    mounts: root => `35 31 0:32 /docker/abc ${root}/memory rw - cgroup cgroup rw,cpu,memory\n`,
  })
  mkdirSync(join(proc.root, 'memory/inner'), { recursive: true })
  t.match(findMemoryGroups(proc)?.take(MIB)?.folder, join(proc.root, 'memory/inner/'))
})

test('version 2: groups lie beside that of the server in a delegated unit, without swap, and end as one', async t => {
  const proc = fakeProc(t, { cgroup: '0::/system.slice/faultline.service/server\n', mounts: v2Mount })
  const unit = join(proc.root, 'v2/system.slice/faultline.service')
  mkdirSync(join(unit, 'server'), { recursive: true })
  writeFileSync(join(unit, 'cgroup.subtree_control'), 'cpu memory\n')
  const groups = findMemoryGroups(proc)
  const group = groups?.take(100 * MIB)
  t.match(groupIn(unit), { 'memory.max': `${100 * MIB}`, 'memory.swap.max': '0', 'memory.oom.group': '1' })

  const events = (count: number) =>
    writeFileSync(join(group?.folder ?? '', 'memory.events'), `low 0\noom 9\noom_kill ${count}\n`)
  events(2)
  t.equal(group?.endedProcesses(), 2)
  group?.release()
  const again = groups?.take(50 * MIB)
  t.equal(again?.folder, group?.folder, 'a group is used again')
  t.equal(again?.endedProcesses(), 0, 'what the jail before it lost does not count')
  events(3)
  t.equal(again?.endedProcesses(), 1)
  t.not(groups?.take(MIB)?.folder, again?.folder, 'two jails at once have two')
  t.match(groupIn(unit), { 'memory.max': /^\d+$/ })
})

test('version 2: memory is turned on for the groups of a unit where it was not', async t => {
  const proc = fakeProc(t, { cgroup: '0::/user.slice/app.scope/server\n', mounts: v2Mount })
  const unit = join(proc.root, 'v2/user.slice/app.scope')
  mkdirSync(join(unit, 'server'), { recursive: true })
  writeFileSync(join(unit, 'cgroup.subtree_control'), '\n')
  t.ok(findMemoryGroups(proc))
  t.equal(readFileSync(join(unit, 'cgroup.subtree_control'), 'utf8'), '+memory')
})

test("there are no groups where the place is not the server's to divide, or there is none", async t => {
  const cases: Array<[string, { cgroup: string; mounts: (root: string) => string }]> = [
    ['a slice', { cgroup: '0::/system.slice/faultline.service\n', mounts: v2Mount }],
    ['the root', { cgroup: '0::/\n', mounts: v2Mount }],
    ['below the root', { cgroup: '0::/init\n', mounts: v2Mount }],
    ['no mount', { cgroup: '0::/a/b/c\n4:memory:/a\n', mounts: () => '31 23 0:28 / /sys rw - sysfs sysfs rw\n' }],
    ['a folder that is not there', { cgroup: '4:memory:/a\n', mounts: v1Mount }],
    ['nothing', { cgroup: '', mounts: () => '' }],
  ]
  for (const [name, files] of cases) {
    const proc = fakeProc(t, files)
    for (const folder of ['system.slice/faultline.service', 'init']) {
      mkdirSync(join(proc.root, 'v2', folder), { recursive: true })
    }
    for (const folder of ['v2', 'v2/system.slice']) {
      writeFileSync(join(proc.root, folder, 'cgroup.subtree_control'), 'memory')
    }
    t.equal(findMemoryGroups(proc), null, name)
  }
  t.equal(findMemoryGroups({ cgroup: '/nonexistent', mountinfo: '/nonexistent' }), null, 'no /proc')
})

test('groups of servers that are gone are deleted, and no others', async t => {
  const proc = fakeProc(t, { cgroup: '4:memory:/\n', mounts: v1Mount })
  const gone = execFileSync('/bin/sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim()
  const names = [`faultline-${gone}-a`, `faultline-${process.pid}-b`, 'other']
  for (const name of names) mkdirSync(join(proc.root, 'memory', name), { recursive: true })
  findMemoryGroups(proc)
  t.same(
    names.map(name => existsSync(join(proc.root, 'memory', name))),
    [false, true, true],
  )
})

const real = findMemoryGroups()
real?.close()

test(
  'the kernel ends what takes more than its group may have',
  real === null ? { skip: 'no control groups here' } : {},
  async t => {
    const groups = findMemoryGroups()
    t.teardown(() => groups?.close())
    const group = groups?.take(64 * MIB)
    const child = spawn('/bin/bash', [
      '-c',
      BEGIN,
      'bash',
      group?.folder ?? '',
      process.execPath,
      '-e',
      'Buffer.alloc(200 << 20, 1)',
    ])
    const [code, signal] = await once(child, 'exit')
    t.same([code, signal], [null, 'SIGKILL'])
    t.equal(group?.endedProcesses(), 1)
    group?.release()
    const next = groups?.take(512 * MIB)
    t.equal(next?.endedProcesses(), 0)
    const fits = spawn('/bin/bash', [
      '-c',
      BEGIN,
      'bash',
      next?.folder ?? '',
      process.execPath,
      '-e',
      'Buffer.alloc(200 << 20, 1)',
    ])
    t.same(await once(fits, 'exit'), [0, null], 'the limit of the next one is its own')
    next?.release()
    groups?.close()
    t.notOk(existsSync(next?.folder ?? '/'), 'nothing is left')
  },
)
