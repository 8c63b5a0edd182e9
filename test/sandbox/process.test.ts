import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'tap'
import { eventually, processesWith } from '../helpers/processes.ts'
import { asRoot, folderOf, inJail, NOBODY, openFolder, runIn, SANDBOX_PROGRAM, needing } from '../helpers/sandbox.ts'
import type { SandboxProcessInput, SandboxProcessOutput } from '../helpers/sandbox-process.ts'

const isRoot = process.getuid?.() === 0

test(
  'a server of an ordinary user runs programs in the jail as itself, and cleans up whatever they leave',
  asRoot,
  async t => {
    const workspacesDir = folderOf(t, NOBODY)
    const { state, result, collected } = await runIn({
      uid: NOBODY,
      options: { workspacesDir },
      workspace: join(workspacesDir, 'job', 'work'),
      script: `id -u; grep NoNewPrivs /proc/self/status; cat /proc/sys/kernel/core_pattern >/dev/null && (echo x > /proc/sys/kernel/core_pattern) 2>/dev/null && echo ESCAPED
      echo hi > made.txt; mkdir closed && echo x > closed/in.txt && chmod 000 closed; mkfifo pipe; ln -s /etc/passwd link; echo x > hidden; chmod 000 hidden; chmod 000 .`,
    })
    t.match(state, { available: true, reason: null })
    t.match(result, { exitCode: 0, sandboxed: true, stdout: /^1000\nNoNewPrivs:\t1\n$/ })
    t.same(collected, [' (unreadable)'], 'the program has closed its folder, and nothing was opened by force')
  },
)

test('a server of an ordinary user meets the same limits', asRoot, async t => {
  const workspacesDir = folderOf(t, NOBODY)
  const marker = `sleep 98765.${process.pid}7`
  const { result } = await runIn({
    uid: NOBODY,
    options: { workspacesDir },
    workspace: join(workspacesDir, 'job', 'work'),
    request: { readyWhen: { output: 'Resource temporarily unavailable' } },
    script: `echo made > made.txt; (setsid ${marker} &); for i in $(seq 300); do ${marker} & done; ${marker}`,
  })
  t.match(result, { ready: true, stderr: /fork: .*Resource temporarily unavailable/ })
  t.ok(await eventually(() => processesWith(marker).length === 0), 'none is left')
})

test(
  'without a jail an ordinary user runs programs only when it says so, on loopback, and is told',
  { skip: isRoot ? false : 'only root can become another user' },
  async t => {
    const workspacesDir = folderOf(t, NOBODY)
    const workspace = join(workspacesDir, 'job', 'work')
    const marker = `sleep 98765.${process.pid}8`
    const open = await runIn({
      uid: NOBODY,
      options: { workspacesDir, mode: 'unsafe-host', loopbackOnly: false },
      workspace,
      script: 'echo ran',
    })
    t.match(open, {
      state: { available: false, reason: /others can reach/ },
      result: null,
      error: { code: 'SANDBOX_UNAVAILABLE' },
    })
    const ran = await runIn({
      uid: NOBODY,
      options: { workspacesDir, mode: 'unsafe-host' },
      workspace,
      script: 'echo "$PWD $HOME"; env | grep -c SECRET; ulimit -c; echo x > out.txt',
    })
    t.match(ran, {
      state: { available: true },
      result: { exitCode: 0, sandboxed: false, stdout: `${workspace} ${workspace}\n0\n0\n` },
      collected: ['out.txt'],
    })
    const late = await runIn({
      uid: NOBODY,
      options: { workspacesDir, mode: 'unsafe-host' },
      workspace,
      script: `${marker} & ${marker}`,
      request: { limits: { timeoutMs: 300 } },
    })
    t.match(late.result, { killedBy: 'time', sandboxed: false })
    t.ok(await eventually(() => processesWith(marker).length === 0), 'none is left')
  },
)

test('a file that the server inherited is not open in the jail', inJail, async t => {
  const workspacesDir = openFolder(t)
  const secret = join(workspacesDir, 'secret.txt')
  writeFileSync(secret, 'a secret')
  const fd = openSync(secret, 'r')
  const input: SandboxProcessInput = {
    options: { workspacesDir },
    workspace: join(workspacesDir, 'job', 'work'),
    script: 'for fd in /proc/self/fd/*; do readlink "$fd"; done; cat <&20',
  }
  const child = spawn(process.execPath, [SANDBOX_PROGRAM, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit', ...Array.from({ length: 20 }, () => fd)],
  })
  if (child.stdout === null) throw new Error('it has no output')
  const { result } = JSON.parse(await text(child.stdout)) as SandboxProcessOutput
  t.match(result, { stdout: /socket:/, stderr: /20: Bad file descriptor/ })
  t.notMatch(result?.stdout ?? '', /secret/)
})

test('a server that is killed takes all that runs in its jails along', inJail, async t => {
  const workspacesDir = openFolder(t)
  const marker = `sleep 98765.${process.pid}9`
  const input: SandboxProcessInput = {
    options: { workspacesDir },
    workspace: join(workspacesDir, 'job', 'work'),
    script: `(setsid nohup ${marker} &); (setsid ${marker} &); ${marker}`,
  }
  const child = spawn(process.execPath, [SANDBOX_PROGRAM, JSON.stringify(input)], { stdio: 'ignore' })
  t.teardown(() => child.kill('SIGKILL'))
  const running = () => processesWith(marker).filter(line => /^\d+ sleep/.test(line)).length
  t.ok(await eventually(() => running() === 3), 'all three run')
  child.kill('SIGKILL')
  t.ok(await eventually(() => processesWith(marker).length === 0), 'none is left')
})

test("workspaces that the sandbox's account cannot reach are named, before anything is run", asRoot, async t => {
  const closed = join(openFolder(t), 'closed')
  mkdirSync(closed)
  chmodSync(closed, 0o700)
  const workspacesDir = join(closed, 'workspaces')
  const { state, error } = await runIn({
    options: { workspacesDir },
    workspace: join(workspacesDir, 'job', 'work'),
    script: 'echo ran',
  })
  t.match(state, { available: false, reason: /uid 64001.*cannot reach WORKSPACES_DIR/, fix: /WORKSPACES_DIR/ })
  t.match(error, { code: 'SANDBOX_UNAVAILABLE' })
  t.notMatch(JSON.stringify(state), /faultline-sandbox-/, 'no folder of this machine is named')
})

test("the server's own folder on the way is opened for passing, and no further", asRoot, async t => {
  const dataDir = join(openFolder(t), 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const workspacesDir = join(dataDir, 'workspaces')
  const { result } = await runIn({
    options: { workspacesDir, dataDir },
    workspace: join(workspacesDir, 'job', 'work'),
    script: 'echo ran',
  })
  t.match(result, { exitCode: 0, stdout: 'ran\n' })
  t.equal(statSync(dataDir).mode & 0o777, 0o711)
})

const NPM = '/usr/lib/node_modules/npm'

test(
  "a Node of nvm in a home that the sandbox's account cannot reach is put where it can, with its npm",
  needing(asRoot, existsSync(NPM), 'npm is not installed in /usr'),
  async t => {
    const folder = openFolder(t)
    const version = join(folder, 'home/.nvm/versions/node/v24.0.0')
    const execPath = join(version, 'bin/node')
    mkdirSync(join(version, 'bin'), { recursive: true })
    cpSync(process.execPath, execPath)
    cpSync(NPM, join(version, 'lib/node_modules/npm'), { recursive: true })
    chmodSync(join(folder, 'home'), 0o700)
    const workspacesDir = join(folder, 'workspaces')
    const input: SandboxProcessInput = {
      options: { workspacesDir, execPath },
      workspace: join(workspacesDir, 'job', 'work'),
      script:
        'command -v node npm npx; node --version; npm --version; npx --version; python3 -c "print(6 * 7)"; ' +
        'node -p "process.execPath"',
    }
    const npm = (JSON.parse(readFileSync(join(NPM, 'package.json'), 'utf8')) as { version: string }).version
    const stdout =
      `/opt/node/bin/node\n/opt/node/bin/npm\n/opt/node/bin/npx\n${process.version}\n${npm}\n${npm}\n42\n` +
      '/opt/node/bin/node\n'
    t.match((await runIn(input)).result, { exitCode: 0, stdout })
    chmodSync(join(folder, 'home'), 0o711)
    t.match(
      (
        await runIn({
          ...input,
          options: { ...input.options, workspacesDir: join(folder, 'others') },
          workspace: join(folder, 'others/job/work'),
        })
      ).result,
      { exitCode: 0, stdout },
      'in an open home it is bound from where it lies',
    )
    t.notOk(existsSync(join(folder, 'others/.node')))
  },
)
