import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type Test } from 'tap'
import { openExecuteJobs, type ExecuteJobInput } from '../helpers/execute-job.ts'
import { eventually, processesWith } from '../helpers/processes.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'

const PROGRAM = join(import.meta.dirname, '../helpers/execute-job.ts')

function folders(t: Test, script: string): ExecuteJobInput {
  const root = join(openFolder(t), 'data')
  mkdirSync(root)
  chmodSync(root, 0o711)
  return { root, workspacesDir: join(root, 'workspaces'), script }
}

/** What is left of a job beside the files that it keeps. */
const leftOf = ({ workspacesDir }: ExecuteJobInput, id: string) =>
  readdirSync(join(workspacesDir, id)).filter(name => name !== 'files')

test('a job fills a workspace, runs a program over it, and keeps what it made and the difference', inJail, async t => {
  const input = folders(
    t,
    'set -e\necho counting; echo two >> counted.txt; rm gone.txt; mkdir -p out node_modules; echo new > ' +
      'out/made.txt; touch node_modules/x; mkfifo pipe; exit 2\n',
  )
  const { jobs, errors, close } = openExecuteJobs(input)
  t.teardown(close)
  await jobs.start()
  const { id } = (await jobs.create('task', {})).job
  const job = await jobs.settled(id, 60_000)
  t.match(job, {
    status: 'succeeded',
    result: {
      exitCode: 2,
      stdout: 'counting\n',
      changed: ['counted.txt', 'gone.txt', 'out/made.txt'],
      skipped: ['pipe fifo'],
    },
  })
  t.match(await jobs.text(id, 'diff'), /^--- a\/counted\.txt\n\+\+\+ b\/counted\.txt\n@@ .*@@\n one\n\+two\n/m)
  t.same(
    (await jobs.files(id)).map(({ path }) => path),
    ['counted.txt', 'out/made.txt'],
  )
  t.ok(await eventually(() => leftOf(input, id).length === 0), 'its workspace is gone')
  t.same(errors, [])
})

test('cancelling the job ends its program at once, and nothing of it is left', inJail, async t => {
  const marker = `sleep 98765.${process.pid}11`
  const input = folders(t, `(setsid nohup ${marker} >/dev/null 2>&1 &)\necho up\n${marker}\n`)
  const { jobs, errors, close } = openExecuteJobs(input)
  t.teardown(close)
  await jobs.start()
  const { id } = (await jobs.create('task', {})).job
  const over = new AbortController()
  for await (const { event } of jobs.follow(id, 0, over.signal)) if (event === 'log') break
  t.ok(await eventually(() => processesWith(marker).filter(line => /^\d+ sleep/.test(line)).length === 2))
  await jobs.cancel(id)
  t.ok(await eventually(() => processesWith(marker).length === 0), 'no process is left')
  t.match(await jobs.settled(id, 10_000), { status: 'cancelled' })
  t.ok(await eventually(() => leftOf(input, id).length === 0), 'no workspace is left')
  t.same(errors, [])
})

test(
  'a server that is killed while the program runs leaves no process; the next one runs it anew in a clean workspace',
  inJail,
  async t => {
    const marker = `sleep 98765.${process.pid}12`
    const input = folders(t, `echo half > half.txt\n(setsid nohup ${marker} >/dev/null 2>&1 &)\n${marker}\n`)
    const first = openExecuteJobs(input)
    const { id } = (await first.jobs.create('task', {})).job // queued, never started here
    await first.close()
    const killed = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...input, id })], { stdio: 'ignore' })
    const exited = once(killed, 'exit')
    t.teardown(() => killed.kill('SIGKILL'))
    t.ok(await eventually(() => processesWith(marker).filter(line => /^\d+ sleep/.test(line)).length === 2), 'it runs')
    killed.kill('SIGKILL')
    await exited
    t.ok(await eventually(() => processesWith(marker).length === 0), 'no process is left')
    const again = spawn(
      process.execPath,
      [PROGRAM, JSON.stringify({ ...input, id, script: 'ls; echo done > counted.txt\n' })],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    if (again.stdout === null) throw new Error('it has no output')
    const { job, errors } = JSON.parse(await text(again.stdout)) as { job: unknown; errors: string[] }
    t.match(job, {
      status: 'succeeded',
      result: { exitCode: 0, stdout: 'counted.txt\ngone.txt\nkept.txt\nrun.sh\n', changed: ['counted.txt'] },
    })
    t.same(errors, [])
    t.notOk(existsSync(join(input.workspacesDir, id, 'run')))
  },
)
