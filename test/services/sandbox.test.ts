import { join } from 'node:path'
import { test, type Test } from 'tap'
import type { RunRequest } from '../../src/sandbox/run.ts'
import { startSandbox, type SandboxProcessOptions } from '../../src/services/sandbox.ts'
import { processesWith, programStarters } from '../helpers/processes.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'
import { SANDBOX_OPTIONS } from '../helpers/sandbox-defaults.ts'

const never = new AbortController().signal

function setup(t: Test, options: Partial<SandboxProcessOptions> = {}) {
  const workspacesDir = openFolder(t)
  const crashes: unknown[] = []
  const outcomes: Array<string | null> = []
  const heard: object[] = []
  const sandbox = startSandbox({
    ...SANDBOX_OPTIONS,
    workspacesDir,
    onCrash: error => crashes.push(error),
    onRun: run => {
      heard.push(run)
      outcomes.push(run.killedBy)
    },
    ...options,
  })
  t.teardown(async () => {
    await sandbox.remove(join(workspacesDir, 'job')).catch(() => {}) // it may have been closed by the test
    await sandbox.close()
  })
  const workspace = join(workspacesDir, 'job', 'work')
  const bash = (script: string, request: Partial<RunRequest> = {}) =>
    sandbox.run({ argv: ['/bin/bash', '-c', script], workspace, signal: never, ...request })
  return { sandbox, workspace, bash, crashes, outcomes, heard }
}

test('programs run, print, are collected and removed as in this process', inJail, async t => {
  const { sandbox, workspace, bash, outcomes, heard } = setup(t)
  t.match(await sandbox.probe(), { available: true, reason: null, fix: null })
  await sandbox.fill(
    workspace,
    new Map<string, string | Uint8Array>([
      ['in.txt', 'é'],
      ['b.bin', Buffer.from([0, 255])],
    ]),
  )
  const told: string[] = []
  t.match(
    await bash('cat in.txt; echo oops >&2; mkdir node_modules; echo x > node_modules/x; exit 3', {
      onOutput: (stream, text) => {
        told.push(stream, text)
      },
    }),
    { exitCode: 3, stdout: 'é', stderr: 'oops\n', sandboxed: true },
  )
  t.same(told.toSorted(), ['oops\n', 'stderr', 'stdout', 'é'])
  const { files } = await sandbox.collect(workspace, { ignore: ['node_modules'] })
  t.same(files, [
    { path: 'b.bin', content: Buffer.from([0, 255]) },
    { path: 'in.txt', content: Buffer.from('é') },
  ])
  t.ok(files.every(({ content }) => Buffer.isBuffer(content)))
  await t.rejects(sandbox.fill(workspace, new Map([['../x', 'x']])), { code: 'BAD_PATH' })
  await t.rejects(bash('', { readyWhen: {} }), { code: 'VALIDATION_FAILED' })
  await sandbox.remove(workspace)
  await t.rejects(sandbox.collect(workspace), { code: 'ENOENT' })
  t.same(outcomes, [null])
  t.ok(
    heard.every(run => !('stdout' in run) && !('stderr' in run)),
    'who counts runs gets nothing that they printed',
  )
})

test('a cancelled run ends at once, also one that was cancelled before, and the process goes on', inJail, async t => {
  const { bash, outcomes } = setup(t)
  const abort = new AbortController()
  t.match(await bash('echo up; sleep 60', { signal: abort.signal, onOutput: () => abort.abort() }), {
    killedBy: 'cancelled',
    stdout: 'up\n',
  })
  t.match(await bash('echo late', { signal: abort.signal }), { killedBy: 'cancelled', stdout: '' })
  t.match(await bash('echo on'), { stdout: 'on\n' })
  t.same(outcomes, ['cancelled', null])
})

test('a listener that throws ends its program, and is heard of', inJail, async t => {
  const { bash, workspace, crashes } = setup(t)
  let calls = 0
  await t.rejects(
    bash('while :; do echo up; done', {
      onOutput: () => {
        calls++
        throw new Error('no more')
      },
    }),
    { message: 'no more' },
  )
  t.equal(calls, 1)
  t.same(processesWith(workspace), [])
  t.same(crashes, [])
})

test('a listener that is slow holds up neither the program nor its limits', inJail, async t => {
  const { bash } = setup(t)
  const slow = () => {
    for (const end = performance.now() + 100; performance.now() < end;);
  }
  const result = await bash('for i in 1 2 3 4 5 6 7 8 9; do echo "line $i"; sleep 0.01; done; sleep 60', {
    limits: { timeoutMs: 3_000 },
    onOutput: slow,
  })
  t.match(result, { killedBy: 'time', stdout: /line 9\n$/ })
})

test('a process that is killed takes its jails with it; the next call is answered by another', inJail, async t => {
  const { bash, workspace, crashes } = setup(t)
  const up = Promise.withResolvers<void>()
  const run = bash('(setsid sleep 60 &); echo up; sleep 60', { onOutput: () => up.resolve() }).catch(
    (error: unknown) => error,
  )
  await up.promise
  for (const pid of programStarters()) process.kill(pid, 'SIGKILL')
  t.match(await run, { name: 'WorkerLostError' })
  t.equal(crashes.length, 1)
  t.match(await bash('echo on'), { stdout: 'on\n' })
  t.same(
    processesWith(workspace).filter(line => line.includes('sleep 60')),
    [],
  )
})

test('closing ends what runs, and nothing runs after it', inJail, async t => {
  const { sandbox, workspace, bash } = setup(t)
  const up = Promise.withResolvers<void>()
  const run = bash('echo up; sleep 60', { onOutput: () => up.resolve() })
  await up.promise
  await sandbox.close()
  t.match(await run, { killedBy: 'cancelled' })
  t.same(processesWith(workspace), [])
  t.match(await bash('echo late'), { killedBy: 'cancelled', stdout: '' })
})
