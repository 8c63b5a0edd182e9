import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'tap'
import type { Launched } from '../../src/sandbox/jail/launched.ts'
import { watchReady } from '../../src/sandbox/ready.ts'
import type { SandboxProcessInput } from '../helpers/sandbox-process.ts'
import { eventually, processesWith } from '../helpers/processes.ts'
import { asRoot, folderOf, inJail, NOBODY, runIn, testSandbox } from '../helpers/sandbox.ts'

const PYTHON = (port: number) => ['/usr/bin/python3', '-u', '-m', 'http.server', String(port), '--bind', '127.0.0.1']
const NODE = (port: number, host: string) => [
  'node',
  '-e',
  `setTimeout(() => require('node:http').createServer().listen(${port}, '${host}', () => console.log('up', ` +
    `${port})), 200)`,
]

test('a server is ready when it listens at its port, on any address, and is ended then', inJail, async t => {
  const { run } = await testSandbox(t)
  const cases: Array<[argv: string[], port: number]> = [
    [PYTHON(8471), 8471],
    [NODE(8472, '0.0.0.0'), 8472],
    [NODE(8473, '::1'), 8473],
    [['bash', '-c', 'node -e "require(\'node:net\').createServer().listen(443 + 8031)" & wait'], 8474],
  ]
  for (const [argv, port] of cases) {
    const result = await run(argv, { readyWhen: { port } })
    t.match(result, { ready: true, exitCode: null, signal: 'SIGKILL', killedBy: null, timedOut: false }, argv.join(' '))
    t.same(processesWith(String(port)), [], 'nothing of it is left')
  }
})

test(
  'a server is ready when it prints the text, also in two pieces and to stderr; no character of it stands for others',
  inJail,
  async t => {
    const { bash } = await testSandbox(t)
    t.match(
      await bash('printf "is liste" >&2; sleep 0.3; echo "ning (8080)" >&2; sleep 60', {
        readyWhen: { output: 'listening (8080)' },
      }),
      { ready: true, stderr: /listening/ },
    )
    t.match(await bash('echo "xxx"; sleep 60', { readyWhen: { output: '.*' }, limits: { timeoutMs: 500 } }), {
      ready: false,
      killedBy: 'time',
      timedOut: true,
    })
  },
)

test('with both, both have to be met', inJail, async t => {
  const { run } = await testSandbox(t)
  t.match(
    await run(NODE(8475, '127.0.0.1'), { readyWhen: { port: 8475, output: 'never' }, limits: { timeoutMs: 1_500 } }),
    { ready: false, killedBy: 'time', stdout: 'up 8475\n' },
  )
  t.match(await run(NODE(8475, '127.0.0.1'), { readyWhen: { port: 8475, output: 'up 84' } }), { ready: true })
})

test('a program that ends by itself was not ready, and one that listens elsewhere is not', inJail, async t => {
  const { run, bash } = await testSandbox(t)
  t.match(await bash('exit 3', { readyWhen: { port: 8476, output: 'up' } }), {
    ready: false,
    exitCode: 3,
    killedBy: null,
  })
  t.match(await run(NODE(8477, '127.0.0.1'), { readyWhen: { port: 8476 }, limits: { timeoutMs: 1_500 } }), {
    ready: false,
    killedBy: 'time',
  })
  const mine = createServer().listen(8476, '127.0.0.1')
  await once(mine, 'listening')
  t.teardown(() => mine.close())
  t.match(
    await bash('sleep 60', { readyWhen: { port: 8476 }, limits: { timeoutMs: 500 } }),
    { ready: false, killedBy: 'time' },
    'a port of this machine is not one of the jail',
  )
})

test('what no program can meet, and what no program can be started with, is refused', async t => {
  const { run } = await testSandbox(t)
  for (const readyWhen of [
    {},
    { port: 0 },
    { port: 65_536 },
    { port: 1.5 },
    { output: '' },
    { output: 'x'.repeat(1_001) },
  ]) {
    await t.rejects(run(['true'], { readyWhen }), { code: 'VALIDATION_FAILED' }, JSON.stringify(readyWhen))
  }
  await t.rejects(run(['true'], { readyWhen: { port: 3128 }, network: 'registries' }), {
    code: 'VALIDATION_FAILED',
    message: /registry proxy/,
  })
  for (const argv of [[], [''], ['a\0b'], ['x'.repeat(131_072)], Array<string>(20).fill('x'.repeat(60_000))]) {
    await t.rejects(run(argv), { code: 'VALIDATION_FAILED' }, String(argv.length))
  }
})

test('a server of an ordinary user sees the port of its jail, too', asRoot, async t => {
  const workspacesDir = folderOf(t, NOBODY)
  const input = (script: string, port: number): SandboxProcessInput => ({
    uid: NOBODY,
    options: { workspacesDir },
    workspace: join(workspacesDir, 'job', 'work'),
    script,
    request: { readyWhen: { port } },
  })
  t.match((await runIn(input(PYTHON(8478).join(' '), 8478))).result, { ready: true, sandboxed: true })
  t.match((await runIn(input('node -e "require(\'node:http\').createServer().listen(8479)"', 8479))).result, {
    ready: true,
    sandboxed: true,
  })
})

test('without a jail only a socket of the program itself makes it ready', asRoot, async t => {
  const workspacesDir = folderOf(t, NOBODY)
  const mine = createServer().listen(0, '127.0.0.1')
  await once(mine, 'listening')
  t.teardown(() => mine.close())
  const { port } = mine.address() as { port: number }
  const input = (script: string, wanted: number): SandboxProcessInput => ({
    uid: NOBODY,
    options: { workspacesDir, mode: 'unsafe-host' },
    workspace: join(workspacesDir, 'job', 'work'),
    script,
    request: { readyWhen: { port: wanted }, limits: { timeoutMs: 2_000 } },
  })
  t.match((await runIn(input('sleep 60', port))).result, { ready: false, killedBy: 'time' })
  const marker = `sleep 98765.${process.pid}6`
  t.match(
    (await runIn({ ...input(`(${marker} &); /usr/bin/python3 -m http.server 18480 --bind 127.0.0.1`, 18480) })).result,
    { ready: true, sandboxed: false },
  )
  t.ok(await eventually(() => processesWith(marker).length === 0), 'none is left')
})

test('a text of many repetitions is not found in 64 MiB of others', async t => {
  // looking for it anew from every byte would take minutes
  const program = { treeRoot: () => null, hasOwnNetwork: true } as Partial<Launched> as Launched
  for (const output of [`${'a'.repeat(999)}b`, `b${'a'.repeat(999)}`, `${'ab'.repeat(400)}c`]) {
    const watch = watchReady(program, { output }, () => t.fail('it is not there'))
    const chunk = Buffer.alloc(65_536, output.includes('c') ? 'ab' : 'a')
    for (let megabytes = 0; megabytes < 64; megabytes += 1 / 16) watch.saw('stdout', chunk)
    watch.stop()
  }
})
