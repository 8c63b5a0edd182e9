import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { runOnHost, type HostCommand } from '../../src/sandbox/host-command.ts'
import { eventually } from '../helpers/processes.ts'
import { testFolder } from '../helpers/test-folder.ts'

const isThere = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Runs a script of a shell in a folder of the test. */
function setup(t: Test) {
  const cwd = testFolder(t)
  const told: Array<[string, string]> = []
  const run = (script: string, more: Partial<HostCommand> = {}) =>
    runOnHost({
      argv: ['/bin/sh', '-c', script],
      env: { PATH: process.env.PATH ?? '' },
      cwd,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      onOutput: (stream, text) => told.push([stream, text]),
      ...more,
    })
  const pidOf = async (name: string): Promise<number> => {
    await eventually(() => existsSync(join(cwd, name)) && readFileSync(join(cwd, name), 'utf8').endsWith('\n'))
    return Number(readFileSync(join(cwd, name), 'utf8'))
  }
  return { cwd, told, run, pidOf }
}

test('a program runs where and with what it is told, and says how it ended', async t => {
  const { cwd, told, run } = setup(t)
  const done = await run('pwd; echo "two" >&2; exit 3', { env: { A: 'b c' } })
  t.match(done, { exitCode: 3, timedOut: false, output: /two/ })
  t.match(done.output, realpathSync(cwd))
  t.same(told.map(([stream]) => stream).sort(), ['stderr', 'stdout'])
  t.ok(Number.isInteger(done.durationMs))
  t.match(await run('cat; echo "end"'), { exitCode: 0, output: 'end\n' }, 'nobody answers its questions')
})

test("nothing of the server's environment is in its own", async t => {
  process.env.FAULTLINE_TEST_SECRET = 'sk-123'
  t.teardown(() => delete process.env.FAULTLINE_TEST_SECRET)
  const { run } = setup(t)
  const { output } = await run('env', { argv: ['/usr/bin/env'], env: { ONE: '1' } })
  t.match(output, /^ONE=1$/m)
  t.notMatch(output, /sk-123|^(?:PATH|HOME|USER)=/m) // tap adds variables of its own to whatever a test starts
})

test('no shell reads its arguments', async t => {
  const { run } = setup(t)
  const { output } = await run('', { argv: ['/bin/echo', '$HOME; `id` $(id) * "x"'] })
  t.equal(output, '$HOME; `id` $(id) * "x"\n')
})

test('a program that cannot be started, or was killed, has no exit code', async t => {
  const { cwd, run } = setup(t)
  t.match(await run('', { argv: ['/no/such/program'] }), { exitCode: null, timedOut: false, output: /ENOENT/ })
  t.match(await run('', { cwd: join(cwd, 'gone') }), { exitCode: null, output: /ENOENT/ })
  writeFileSync(join(cwd, 'plain'), 'text')
  t.match(await run('', { argv: [join(cwd, 'plain')] }), { exitCode: null, output: /EACCES/ })
  t.match(await run('', { argv: [] }), { exitCode: null, output: /./ })
  t.match(await run('', { argv: ['/bin/echo', 'a\0b'] }), { exitCode: null, output: /./ })
  t.match(await run('kill -9 $$'), { exitCode: null, timedOut: false })
})

test('of much output both ends are kept, and all of it is told', async t => {
  const { told, run } = setup(t)
  const { output } = await run('echo begin; head -c 5000000 /dev/zero | tr "\\0" x; echo; echo end')
  t.ok(output.length < 70_000, `${output.length} characters`)
  t.match(output, /^begin\n/)
  t.match(output, /\nend\n$/)
  t.ok(told.reduce((sum, [, text]) => sum + text.length, 0) > 5_000_000)
})

test('text comes whole, also where it is cut between the bytes of a character', async t => {
  const { run } = setup(t)
  t.match(await run("printf '\\342'; sleep 0.2; printf '\\234\\223 \\377'"), { output: '✓ \ufffd' })
})

test('what takes too long is ended with all that it began', async t => {
  const { run, pidOf } = setup(t)
  const done = run('sleep 1000 & echo $! > one; (sleep 1000 & echo $! > two; wait) & wait', { timeoutMs: 1_000 })
  const pids = [await pidOf('one'), await pidOf('two')]
  t.ok(pids.every(isThere))
  t.match(await done, { timedOut: true })
  t.ok(await eventually(() => !pids.some(isThere)))
})

test('a program that does not want to end is killed', async t => {
  const { run, pidOf } = setup(t)
  const done = run('trap "" TERM; echo $$ > pid; while :; do sleep 1; done', { timeoutMs: 500 })
  const pid = await pidOf('pid')
  t.match(await done, { timedOut: true, exitCode: null })
  t.ok(await eventually(() => !isThere(pid)))
})

test('a program that is asked to end may tidy up first', async t => {
  const { run, pidOf } = setup(t)
  const stop = new AbortController()
  const done = run('trap "echo tidied; exit 7" TERM; echo $$ > pid; while :; do sleep 0.1; done', {
    signal: stop.signal,
  })
  await pidOf('pid')
  stop.abort()
  t.match(await done, { exitCode: 7, timedOut: false, output: 'tidied\n' })
  await t.rejects(run('echo never', { signal: stop.signal }), { name: 'AbortError' })
})

test('what it leaves in the background holds nobody up', async t => {
  const { run, pidOf } = setup(t)
  const started = performance.now()
  const { exitCode, timedOut, output } = await run('sleep 1000 & echo $! > pid; echo started')
  t.match({ exitCode, timedOut, output }, { exitCode: 0, timedOut: false, output: 'started\n' })
  const pid = await pidOf('pid')
  t.ok(await eventually(() => !isThere(pid)), 'what is in its group ends with it')
  const left = await run('setsid sleep 1000 & echo $! > far; echo started')
  t.match(left, { exitCode: 0, timedOut: false, output: 'started\n' })
  t.ok(performance.now() - started < 30_000)
  process.kill(await pidOf('far'))
})
