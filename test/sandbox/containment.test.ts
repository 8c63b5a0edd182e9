import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSocketServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'tap'
import { SYSCALL_TABLES } from '../../src/sandbox/jail/seccomp-table.ts'
import { eventually, processesWith } from '../helpers/processes.ts'
import { inJail, testSandbox } from '../helpers/sandbox.ts'

test("nothing of the server's environment can be read", inJail, async t => {
  process.env.FAULTLINE_TEST_SECRET = 'sk-the-secret-of-the-server'
  t.teardown(() => {
    delete process.env.FAULTLINE_TEST_SECRET
  })
  const { bash } = await testSandbox(t)
  const { stdout } = await bash('env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"')
  t.match(stdout, /CI=1/)
  t.notMatch(stdout, /sk-the-secret/)
})

test('only the workspace and what is installed can be read', inJail, async t => {
  const { sandbox, workspacesDir, bash } = await testSandbox(t)
  const secret = join(workspacesDir, 'secret.txt')
  writeFileSync(secret, 'a secret file', { mode: 0o644 })
  await sandbox.fill(join(workspacesDir, 'job', 'other'), new Map([['theirs.txt', 'a secret file']]))
  const { stdout } =
    await bash(`cat ${secret} ${workspacesDir}/job/other/theirs.txt ../other/theirs.txt ${import.meta.filename} /etc/shadow /etc/hostname 2>&1
    ls -a / /root /home /var /sys /run /mnt /srv /boot /proc/1/root/root 2>&1; ls /dev`)
  t.notMatch(stdout, /a secret file|import \{ test|root:[x*]/)
  t.equal(stdout.match(/No such file or directory/g)?.length, 6 + 9, stdout)
  t.notMatch(stdout, /sda|vda|nvme|mem\b|kmsg/)
})

test('only the workspace and the folders for temporary files can be written', inJail, async t => {
  const { bash } = await testSandbox(t)
  const { stdout } =
    await bash(`for at in / /etc /usr /usr/bin /usr/local/bin /opt /opt/node/bin /dev /run /proc /proc/sys/kernel /sys; do ( echo x > $at/planted ) 2>/dev/null && echo "wrote $at"; done
    for file in /etc/passwd /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger /proc/1/oom_score_adj; do ( echo -1000 > $file ) 2>/dev/null && echo "wrote $file"; done
    for at in /workspace /tmp /dev/shm; do echo x > $at/mine && echo "may write $at"; done`)
  t.equal(stdout, 'may write /workspace\nmay write /tmp\nmay write /dev/shm\n')
})

test("the server's port, its sockets and every other network cannot be reached", inJail, async t => {
  let hits = 0
  const server = createServer((_request, response) => {
    hits++
    response.end()
  }).listen(0, '127.0.0.1')
  const abstract = createSocketServer(() => {
    hits++
  }).listen('\0faultline-test-socket')
  await Promise.all([once(server, 'listening'), once(abstract, 'listening')])
  t.teardown(() => {
    server.close()
    abstract.close()
  })
  const { port } = server.address() as AddressInfo
  const { run } = await testSandbox(t)
  const { stdout, exitCode } = await run([
    'node',
    '-e',
    `
    const { connect } = require('node:net')
    const tries = [{ host: '127.0.0.1', port: ${port} }, { host: '::1', port: ${port} }, { host: '169.254.169.254', port: 80 }, { host: '1.1.1.1', port: 53 }, { path: '\\0faultline-test-socket' }]
    let left = tries.length
    for (const to of tries) connect(to).on('connect', () => { console.log('reached', JSON.stringify(to)); process.exit(1) }).on('error', error => { console.log(error.code); if (--left === 0) process.exit(0) })
  `,
  ])
  t.match({ exitCode, hits }, { exitCode: 0, hits: 0 }, stdout)
})

test('a daemon ends with the program that started it', inJail, async t => {
  const { bash } = await testSandbox(t)
  const marker = `sleep 98765.${process.pid}1`
  const { exitCode, killedBy } = await bash(
    `(setsid nohup ${marker} >/dev/null 2>&1 </dev/null &) ; (setsid ${marker} &); echo done`,
  )
  t.equal(exitCode, 0)
  t.equal(killedBy, null, 'nothing waited for the daemon')
  t.ok(await eventually(() => processesWith(marker).length === 0), 'none is left')
})

test('nothing of a program runs any more when its result is there, however it ended', inJail, async t => {
  const { bash } = await testSandbox(t)
  const marker = `sleep 98765.${process.pid}4`
  const many = `for i in $(seq 60); do (setsid ${marker} >/dev/null 2>&1 </dev/null &); done; sleep 0.3`
  for (let round = 0; round < 5; round++) {
    t.match(await bash(many), { exitCode: 0 })
    t.same(processesWith(marker), [], 'it ended by itself')
    t.match(await bash(`${many}; sleep 60`, { limits: { timeoutMs: 600 } }), { killedBy: 'time' })
    t.same(processesWith(marker), [], 'it was ended')
  }
})

test('a run that is cancelled while its jail is set up leaves nothing', inJail, async t => {
  const { run, workspace } = await testSandbox(t)
  for (let afterMs = 0; afterMs < 60; afterMs += 3) {
    const abort = new AbortController()
    const starting = run(['sleep', '100000'], { signal: abort.signal })
    setTimeout(() => abort.abort(), afterMs)
    t.match(await starting, { killedBy: 'cancelled' })
    t.same(processesWith(workspace), [], `after ${afterMs} ms`)
  }
})

test('at the time limit everything ends, whatever it ignores', inJail, async t => {
  const { bash } = await testSandbox(t)
  const marker = `sleep 98765.${process.pid}2`
  const result = await bash(`trap '' TERM HUP INT; echo up; (setsid nohup ${marker} &); while :; do ${marker}; done`, {
    limits: { timeoutMs: 400 },
  })
  t.match(result, { killedBy: 'time', timedOut: true, exitCode: null, signal: 'SIGKILL', stdout: /^up/ })
  t.ok(await eventually(() => processesWith(marker).length === 0), 'none is left')
})

test('a program that forks without end gets no more processes than it may have', inJail, async t => {
  const { bash } = await testSandbox(t)
  const marker = `sleep 98765.${process.pid}3`
  const { ready, stderr } = await bash(`for i in $(seq 1000); do ${marker} & done; f () { f | f & }; f; wait`, {
    readyWhen: { output: 'Resource temporarily unavailable' },
  })
  t.ok(ready, stderr)
  t.same(processesWith(marker), [], 'none is left')
})

test('a tree of processes gets no more memory than it may have', inJail, async t => {
  const { run, bash } = await testSandbox(t)
  const hog = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(8e6, 1)), 5)'
  t.match(await run(['node', '-e', hog], { limits: { memoryMb: 250 } }), { killedBy: 'memory', exitCode: null })
  const child = "node -e 'const kept = Buffer.alloc(60e6, 1); setInterval(() => kept.length, 1000)'"
  t.match(
    await bash(`for i in 1 2 3 4 5 6; do (setsid ${child} &); done; sleep 60`, { limits: { memoryMb: 300 } }),
    { killedBy: 'memory' },
    'their sum counts',
  )
  t.match(
    await run(['node', '-e', 'const kept = []; for (;;) kept.push(Array(1000).fill({}))'], {
      limits: { memoryMb: 800 },
    }),
    { killedBy: null, stderr: /heap out of memory/ },
    'a program that only its heap fills says so itself',
  )
})

test(
  'the kernel ends a jail before anything else, and no program of it puts itself behind the server',
  inJail,
  async t => {
    const { bash } = await testSandbox(t)
    const { stdout } = await bash('cat /proc/self/oom_score_adj /proc/1/oom_score_adj')
    t.equal(stdout, '1000\n1000\n')
    t.match(await bash('for value in -1 -1000; do echo $value > /proc/self/oom_score_adj && echo ESCAPED; done'), {
      stdout: '',
    })
  },
)

test('a jail is in a control group of its own where there are any', inJail, async t => {
  const { sandbox, bash } = await testSandbox(t)
  if ((await sandbox.probe()).memoryLimit !== 'kernel') return
  const marker = `sleep 4321.${process.pid}`
  const abort = new AbortController()
  const groupOf = (line = '') => readFileSync(`/proc/${line.split(' ', 1)[0]}/cgroup`, 'utf8')
  const run = bash(`${marker} & wait`, { signal: abort.signal, limits: { memoryMb: 100 } })
  t.ok(
    await eventually(() => processesWith(marker).some(line => line.includes(` ${marker}`) && !line.includes('bash'))),
  )
  const inside = processesWith(marker).map(groupOf)
  t.ok(inside.length > 1)
  t.ok(
    inside.every(group => group.includes(`/faultline-${process.pid}-`)),
    inside.join(),
  )
  abort.abort()
  await run
})

test('files in memory have an end', inJail, async t => {
  const { bash } = await testSandbox(t)
  const { stdout, stderr } = await bash(
    'head -c 300M /dev/zero > /tmp/a; head -c 100M /dev/zero > /tmp/b; head -c 100M /dev/zero > /dev/shm/c; ' +
      'du -m /tmp | tail -n 1 | cut -f1; du -m /dev/shm | cut -f1',
  )
  t.match(stderr, /No space left on device|File too large/)
  const [tmp = NaN, shm = NaN] = stdout.trim().split('\n').map(Number)
  t.ok(tmp <= 256 && shm <= 32, stdout)
})

test('the workspace gets no more of the disk than it may have, and no endless number of files', inJail, async t => {
  const { bash } = await testSandbox(t)
  t.match(
    await bash('for i in $(seq 100); do head -c 10M /dev/zero > $i; sleep 0.1; done; sleep 60', {
      limits: { diskMb: 50 },
    }),
    { killedBy: 'disk' },
  )
  t.match(await bash('head -c 300M /dev/zero > large'), { exitCode: 153 }, 'one file has at most 256 MiB')
})

test('a flood of output is cut off, and its beginning and end are kept', inJail, async t => {
  const { bash } = await testSandbox(t)
  const flood = await bash('echo first; yes flood')
  t.match(flood, { killedBy: 'output', exitCode: null, stdout: /^first\nflood\n[^]*\[\d+ bytes left out\]/ })
  t.ok(flood.truncatedBytes > 64 * 2 ** 20)
  t.ok(flood.stdout.length < 1.1 * 2 ** 20)
  const long = await bash('echo first; yes line | head -c 3000000; echo last; yes error | head -c 2000000 >&2')
  t.match(long, { killedBy: null, exitCode: 0, stdout: /^first\n[^]*last\n$/, stderr: /^error/ })
  t.equal(long.truncatedBytes, 3_000_011 + 2_000_000 - 2 * 2 ** 20)
})

test('system calls that reach beyond the jail are refused', inJail, async t => {
  const table = SYSCALL_TABLES.get(process.arch)
  if (table === undefined) throw new Error('no table')
  const { run } = await testSandbox(t)
  const [EPERM, ENOSYS] = [1, 38]
  const calls = [
    ...[...table.refused].map(([name, number]) => ({ name, number, errno: EPERM, args: '0, 0, 0, 0, 0' })),
    ...[...table.absent].map(([name, number]) => ({ name, number, errno: ENOSYS, args: '0, 0, 0, 0, 0' })),
    { name: 'clone(CLONE_NEWUSER)', number: table.clone, errno: EPERM, args: '0x10000000, 0, 0, 0, 0' },
    { name: 'ioctl(TIOCSTI)', number: table.ioctl, errno: EPERM, args: '0, 0x5412, 0' },
    { name: 'socket(AF_VSOCK)', number: table.socket, errno: 97, args: '40, 1, 0' },
    { name: 'socket(AF_PACKET)', number: table.socket, errno: 97, args: '17, 3, 0' },
    { name: 'socket(AF_ALG)', number: table.socket, errno: 97, args: '38, 5, 0' },
    { name: 'personality(ADDR_NO_RANDOMIZE)', number: table.personality, errno: EPERM, args: '0x0040000' },
    { name: 'one that is newer than the list', number: 9_999, errno: ENOSYS, args: '0' },
  ]
  const script = calls
    .map(
      ({ name, number, args }) =>
        `$! = 0; $r = syscall(${number}, ${args}); printf "%s %d %d\\n", q(${name.replaceAll(' ', '_')}), $r, $!+0;`,
    )
    .join('\n')
  const { stdout, stderr } = await run(['perl', '-e', script])
  const answers = new Map(
    stdout
      .trim()
      .split('\n')
      .map(line => [line.split(' ')[0], line.split(' ').slice(1).map(Number)]),
  )
  t.equal(answers.size, calls.length, stderr)
  for (const { name, errno } of calls) t.same(answers.get(name.replaceAll(' ', '_')), [-1, errno], name)
})

test('tools that trace, mount, make namespaces or become another user fail', inJail, async t => {
  const { bash } = await testSandbox(t)
  const { stdout } = await bash(`
    for try in "mount -t tmpfs none /tmp" "umount /proc" "unshare -U true" "unshare -n true" "chroot / true" "nsenter -t 1 -m true" "chown 0 ." "mknod dev b 8 0" "setpriv --reuid 0 true" "renice -n -5 $$" "dmesg" "hostname other" "prlimit --nproc=4096 true" "prlimit --nofile=4096 true"; do
      $try >/dev/null 2>&1 && echo "worked: $try"
    done; grep -E "^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr -s "\\t" " "; ps -e 2>/dev/null | wc -l`)
  t.notMatch(stdout, /worked/)
  t.match(
    stdout,
    /CapPrm: 0000000000000000\nCapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\nSeccomp: 2\n/,
  )
})
