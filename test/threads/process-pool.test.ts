import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test, type Test } from 'tap'
import { WorkerLostError } from '../../src/core/errors.ts'
import { openOwnChild } from '../../src/threads/child-process.ts'
import { ProcessPool } from '../../src/threads/process-pool.ts'
import { eventually } from '../helpers/processes.ts'

const SPINNING_PARENT = new URL('../fixtures/spinning-parent.ts', import.meta.url)
const ENTRY = new URL('../fixtures/task-child.ts', import.meta.url)

type Options = Partial<
  Pick<
    ConstructorParameters<typeof ProcessPool>[0],
    'processes' | 'tasksPerProcess' | 'patienceMs' | 'graceMs' | 'idleMs' | 'onIdle' | 'onLost'
  >
> & { module?: string }

interface Identity {
  pid: number
  settings: object
  heapBytes: number
}

function setup(t: Test, { module = 'tasks', ...options }: Options = {}) {
  const lost: unknown[] = []
  const pool = new ProcessPool({
    processes: 1,
    tasksPerProcess: 1,
    idleMs: 60_000,
    onLost: reason => lost.push(reason),
    ...options,
    start: () => openOwnChild(ENTRY, module, { shop: 'open' }, { semiSpaceMb: 1, oldSpaceMb: 64, endMs: 0 }),
  })
  t.teardown(() => pool.destroy())
  return {
    pool,
    lost,
    whoAmI: async () => (await pool.run({}, { name: 'whoAmI' })) as Identity,
    /** Begins a task that goes on; resolves with its process. */
    async begin(name: string, { signal, ...task }: { signal?: AbortSignal; file?: string } = {}) {
      const { promise, resolve } = Promise.withResolvers<number>()
      const port = { postMessage: (message: unknown) => resolve((message as { progress: number }).progress) }
      const result = pool.run({ ...task, port }, { name, signal })
      result.catch(() => {}) // the test looks at it later
      return { pid: await promise, result }
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a task gets what the pool was made with, and says on its port what it does', async t => {
  const { pool, whoAmI } = setup(t)
  const heard: unknown[] = []
  const port = { postMessage: (message: unknown) => heard.push(message) }
  t.equal(await pool.run({ word: 'ab', port }, { name: 'spell' }), 'AB')
  t.same(heard, [{ state: 'works' }, { progress: 'a' }, { progress: 'b' }])
  const { pid, settings, heapBytes } = await whoAmI()
  t.same(settings, { shop: 'open' })
  t.not(pid, process.pid)
  t.ok(heapBytes < 80 * 1_048_576, 'nor does it take more memory than it may')
  await t.rejects(pool.run({}, { name: 'nothing' }), { message: 'This module has no nothing.' })
})

test('a process starts when all others are busy, and the one used last is taken first', async t => {
  const { whoAmI, begin } = setup(t, { processes: 2 })
  const [first, again] = [await whoAmI(), await whoAmI()]
  t.equal(first.pid, again.pid)
  const { pid: busy } = await begin('work')
  t.equal(busy, first.pid)
  const second = await whoAmI()
  t.not(second.pid, busy)
  t.equal((await whoAmI()).pid, second.pid)
})

test('a further process starts for a task that waits too long, and is needed no more when it has ended', async t => {
  const { begin, whoAmI } = setup(t, { processes: 2, patienceMs: 500, idleMs: 50 })
  const file = join(t.testdir(), 'enough')
  const { pid: busy, result } = await begin('workUntil', { file })
  const second = await whoAmI()
  t.not(second.pid, busy)
  t.ok(await eventually(() => !isAlive(second.pid)))
  const third = whoAmI()
  writeFileSync(file, '')
  await result
  t.equal((await third).pid, busy, 'it has patience again')
})

test('who has patience gets the process that others used', async t => {
  const { whoAmI } = setup(t, { processes: 2, patienceMs: 60_000 })
  const all = await Promise.all([whoAmI(), whoAmI(), whoAmI()])
  t.equal(new Set(all.map(({ pid }) => pid)).size, 1)
})

test('a task that nobody wants any more may come to its end, and the next one has its process', async t => {
  const { begin, whoAmI, lost } = setup(t, { graceMs: 60_000 })
  const controller = new AbortController()
  const file = join(t.testdir(), 'wanted')
  const { pid, result } = await begin('workUntil', { file, signal: controller.signal })
  controller.abort(new Error('gone'))
  await t.rejects(result, { message: 'gone' })
  const next = whoAmI()
  writeFileSync(file, '')
  t.equal((await next).pid, pid)
  t.same(lost, [])
})

test('several tasks may share a process', async t => {
  const { begin, whoAmI } = setup(t, { tasksPerProcess: 2 })
  const { pid } = await begin('work')
  t.equal((await whoAmI()).pid, pid)
})

test('an abort ends a process whatever it does, and the next task finds another', async t => {
  const { begin, whoAmI, lost } = setup(t)
  const controller = new AbortController()
  const reason = new Error('no longer wanted')
  const { pid, result } = await begin('spin', { signal: controller.signal })
  controller.abort(reason)
  t.equal(await result.catch((error: unknown) => error), reason)
  t.not((await whoAmI()).pid, pid)
  t.ok(await eventually(() => !isAlive(pid)))
  t.same(lost, [], 'it was to end')
})

test('who waits for a process may leave, and does not hold up others', async t => {
  const { begin, pool, whoAmI } = setup(t)
  const working = new AbortController()
  const { result } = await begin('work', { signal: working.signal })
  const controller = new AbortController()
  const left = pool.run({}, { name: 'whoAmI', signal: controller.signal })
  controller.abort(new Error('gone'))
  await t.rejects(left, { message: 'gone' })
  const next = whoAmI()
  working.abort(new Error('enough'))
  await t.rejects(result, { message: 'enough' })
  t.ok((await next).pid)
})

test('a task whose process is killed is done in another one', async t => {
  const { begin, lost } = setup(t)
  const { pid, result } = await begin('workOnce', { file: join(t.testdir(), 'begun') })
  process.kill(pid, 'SIGKILL')
  const other = await result
  t.type(other, 'number')
  t.not(other, pid)
  t.match(lost, [{ message: 'The process was ended by SIGKILL.' }], 'and its loss is told')
})

test('a task that two processes end at is given up', async t => {
  const { pool, whoAmI } = setup(t)
  const pids: number[] = []
  const port = {
    postMessage(message: unknown) {
      const { progress: pid } = message as { progress: number }
      pids.push(pid)
      process.kill(pid, 'SIGKILL')
    },
  }
  await t.rejects(pool.run({ port }, { name: 'work' }), WorkerLostError)
  t.equal(new Set(pids).size, 2)
  t.notOk(pids.includes((await whoAmI()).pid))
})

test('a process that had no task for a while ends', async t => {
  const { whoAmI, lost } = setup(t, { idleMs: 1 })
  const { pid } = await whoAmI()
  t.ok(await eventually(() => !isAlive(pid)))
  t.not((await whoAmI()).pid, pid)
  t.same(lost, [], 'it was to end')
})

test('the end of a pool ends its tasks and their processes', async t => {
  const { pool, begin, whoAmI } = setup(t)
  const { pid, result } = await begin('work')
  const waiting = whoAmI()
  await Promise.all([
    t.rejects(result, { code: 'SHUTTING_DOWN' }),
    t.rejects(waiting, { code: 'SHUTTING_DOWN' }),
    pool.destroy(),
  ])
  t.notOk(isAlive(pid))
  await t.rejects(whoAmI(), { code: 'SHUTTING_DOWN' })
})

test('a module that cannot be loaded is said to each task', async t => {
  const { whoAmI } = setup(t, { module: 'broken' })
  await t.rejects(whoAmI(), { message: /cannot be loaded|ended/ })
})

test('a process that could not load its module is not asked again', async t => {
  const mark = join(tmpdir(), `faultline-task-child-${process.pid}`)
  t.teardown(() => rmSync(mark, { force: true }))
  const { whoAmI } = setup(t, { module: 'later' })
  await t.rejects(whoAmI(), { message: /cannot be loaded/ })
  t.match(await whoAmI(), { settings: { shop: 'open' } })
})

test('a task that is cancelled as its process is lost is not begun again', async t => {
  const controller = new AbortController()
  const { begin, whoAmI } = setup(t, { onLost: () => controller.abort(new Error('no longer wanted')) })
  const file = join(t.testdir(), 'begun')
  const { pid, result } = await begin('work', { file, signal: controller.signal })
  process.kill(pid, 'SIGKILL')
  await t.rejects(result, { message: 'no longer wanted' })
  t.ok((await whoAmI()).pid, 'no process is at work on it')
})

test('a pool can be closed while one of its processes is ending', async t => {
  const { begin, pool } = setup(t)
  const controller = new AbortController()
  const { pid, result } = await begin('work', { signal: controller.signal })
  controller.abort(new Error('enough'))
  await t.rejects(result, { message: 'enough' })
  await pool.destroy()
  t.notOk(isAlive(pid))
})

test('a process that spins ends with the one that started it, however that ends', async t => {
  const parent = spawn(process.execPath, [fileURLToPath(SPINNING_PARENT)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(said.toString())
  t.ok(isAlive(pid))
  parent.kill('SIGKILL')
  t.ok(await eventually(() => !isAlive(pid)))
})

test('it says once that its last process has ended for want of tasks, not that it was closed', async t => {
  let idle = 0
  const onIdle = () => {
    idle++
  }
  const { begin, whoAmI, pool } = setup(t, { processes: 2, idleMs: 20, onIdle })
  const controller = new AbortController()
  const { pid, result } = await begin('work', { signal: controller.signal })
  const other = await whoAmI()
  await eventually(() => !isAlive(other.pid))
  t.equal(idle, 0, 'one still works')
  controller.abort()
  await result.catch(() => {})
  await eventually(() => !isAlive(pid))
  await whoAmI()
  await eventually(() => idle === 1)
  const closing = setup(t, { onIdle: () => t.fail('it was closed') })
  await closing.whoAmI()
  await closing.pool.destroy()
  await pool.destroy()
})
