import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { inJail, testSandbox } from '../helpers/sandbox.ts'

test('a program runs in its workspace, and its output and exit code come back', inJail, async t => {
  const { sandbox, workspace, run } = await testSandbox(t)
  await sandbox.fill(
    workspace,
    new Map([
      ['run.sh', '#!/bin/bash\npwd\ncat data/in.txt\necho oops >&2\nexit 3\n'],
      ['data/in.txt', 'hello\n'],
    ]),
  )
  const told: string[] = []
  const result = await run(['./run.sh'], {
    onOutput: (stream, text) => {
      told.push(`${stream}: ${text}`)
    },
  })
  t.match(result, {
    exitCode: 3,
    signal: null,
    stdout: '/workspace\nhello\n',
    stderr: 'oops\n',
    truncatedBytes: 0,
    timedOut: false,
    killedBy: null,
    sandboxed: true,
  })
  t.equal(
    told
      .filter(line => line.startsWith('stdout'))
      .map(line => line.slice(8))
      .join(''),
    '/workspace\nhello\n',
  )
  t.same(
    told.filter(line => line.startsWith('stderr')),
    ['stderr: oops\n'],
  )
})

test(
  'a program that a signal ends has the exit code that a shell gives it, and one that does not exist has 127',
  inJail,
  async t => {
    const { bash, run } = await testSandbox(t)
    t.match(await bash('kill -SEGV $$'), { exitCode: 139, signal: null, killedBy: null })
    t.match(await run(['no-such-program']), { exitCode: 127, stderr: /not found/, killedBy: null })
  },
)

test('what a program writes is collected, and the next run finds it', inJail, async t => {
  const { sandbox, workspace, bash } = await testSandbox(t)
  await bash('mkdir out && echo one > out/a.txt')
  t.match(await bash('cat out/a.txt'), { stdout: 'one\n' })
  const { files, skipped } = await sandbox.collect(workspace)
  t.same(
    files.map(({ path, content }) => [path, content.toString()]),
    [['out/a.txt', 'one\n']],
  )
  t.same(skipped, [])
})

test("a program in the jail runs on the server's own Node, with npm beside it", inJail, async t => {
  const { run } = await testSandbox(t)
  t.match(await run(['node', '--version']), { stdout: `${process.version}\n`, exitCode: 0 })
  t.match(await run(['node', '-e', 'const text: string = "typed"; console.log(text)']), {
    exitCode: 0,
    stdout: 'typed\n',
  })
})

test(
  'variables of the request are seen, and those that would change how programs are started are refused',
  inJail,
  async t => {
    const { bash } = await testSandbox(t)
    t.match(await bash('echo "$GREETING $HOME"', { env: { GREETING: 'hi there' } }), { stdout: 'hi there /tmp\n' })
    for (const name of ['LD_PRELOAD', 'BASH_ENV', 'A=B', '']) {
      await t.rejects(bash('true', { env: { [name]: '/x' } }), { message: /cannot be given/ })
    }
  },
)

test('two programs run at once and the third waits for its turn', inJail, async t => {
  const { sandbox, workspacesDir } = await testSandbox(t)
  let running = 0
  let most = 0
  const one = async (name: string) => {
    const result = await sandbox.run({
      argv: ['/bin/bash', '-c', 'echo started; sleep 0.3'],
      workspace: join(workspacesDir, 'job', name),
      signal: new AbortController().signal,
      onOutput() {
        most = Math.max(most, ++running)
      },
    })
    running--
    return result.exitCode
  }
  t.same(await Promise.all(['a', 'b', 'c', 'd'].map(one)), [0, 0, 0, 0])
  t.ok(most <= 2, `${most} at once`)
})

test('a cancelled run ends at once, in its turn or before it', inJail, async t => {
  const { bash } = await testSandbox(t)
  const aborts = Array.from({ length: 3 }, () => new AbortController())
  const started = Promise.withResolvers<void>()
  const runs = aborts.map(({ signal }) => bash('echo up; sleep 100', { signal, onOutput: () => started.resolve() }))
  await started.promise
  for (const abort of aborts.toReversed()) abort.abort()
  for (const result of await Promise.all(runs)) {
    t.match(result, { killedBy: 'cancelled', exitCode: null, timedOut: false })
  }
  t.match(await bash('echo again'), { stdout: 'again\n' }, 'its turns came back')
})

test('closing ends what runs, and nothing runs after it', inJail, async t => {
  const { sandbox, bash } = await testSandbox(t)
  const started = Promise.withResolvers<void>()
  const run = bash('echo up; sleep 100', { onOutput: () => started.resolve() })
  await started.promise
  await sandbox.close()
  t.match(await run, { killedBy: 'cancelled' })
  t.match(await bash('echo late'), { killedBy: 'cancelled', stdout: '' })
})

test('two runs at once in one workspace share its files', inJail, async t => {
  const { bash } = await testSandbox(t)
  const wait = (file: string) => `for i in $(seq 2000); do [ -s ${file} ] && break; sleep 0.01; done; cat ${file}`
  const [a, b] = await Promise.all([bash(`echo from a > a; ${wait('b')}`), bash(`echo from b > b; ${wait('a')}`)])
  t.match(
    [a, b],
    [
      { exitCode: 0, stdout: 'from b\n' },
      { exitCode: 0, stdout: 'from a\n' },
    ],
  )
})

test('a workspace that is removed takes what runs in it along, and what waits for its turn', inJail, async t => {
  const { sandbox, workspace, workspacesDir, bash } = await testSandbox(t)
  const up = Promise.withResolvers<void>()
  const writing = 'echo up; for i in $(seq 1000000); do echo x > "f$i"; done'
  const runs = [1, 2, 3].map(() => bash(writing, { onOutput: () => up.resolve() }))
  const beside = join(workspacesDir, 'job', 'work-2')
  await up.promise
  const other = sandbox.run({
    argv: ['/bin/bash', '-c', 'echo other'],
    workspace: beside,
    signal: new AbortController().signal,
  })
  await sandbox.remove(workspace)
  for (const result of await Promise.all(runs)) t.match(result, { killedBy: 'cancelled' })
  t.notOk(existsSync(workspace))
  t.match(await other, { exitCode: 0, stdout: 'other\n' }, 'one whose name begins alike goes on')
})

test('a listener that throws ends its program, and is heard of', inJail, async t => {
  const { bash } = await testSandbox(t)
  await t.rejects(
    bash('while :; do echo up; done', {
      onOutput: () => {
        throw new Error('no more')
      },
    }),
    { message: 'no more' },
  )
})

test('the start of a server leaves the workspaces of the jobs that it keeps, and no others', inJail, async t => {
  const { sandbox, workspace, workspacesDir } = await testSandbox(t)
  for (const name of ['job/work', 'gone', '.trash/half-deleted']) {
    mkdirSync(join(workspacesDir, name), { recursive: true })
  }
  await sandbox.sweep(new Set(['job']))
  t.ok(existsSync(workspace))
  for (const name of ['gone', '.trash/half-deleted']) t.notOk(existsSync(join(workspacesDir, name)), name)
})
