import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { openInChild } from '../../src/threads/child-process.ts'
import { remoteOf } from '../../src/threads/rpc.ts'
import type { Functions } from '../fixtures/served-functions.ts'
import { eventually, processesWith } from '../helpers/processes.ts'

const ENTRY = new URL('../fixtures/served-child.ts', import.meta.url)
const PARENT = fileURLToPath(new URL('../fixtures/child-parent.ts', import.meta.url))

const pidsOf = (entry: URL): number[] =>
  processesWith(fileURLToPath(entry)).flatMap(line => {
    const pid = Number.parseInt(line, 10)
    return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${process.pid}\n`) ? [pid] : []
  })

function setup(
  t: Test,
  { module = 'functions', data = null as unknown, repeatable = [] as Array<keyof Functions> } = {},
) {
  const crashes: unknown[] = []
  const warnings: unknown[][] = []
  const remote = remoteOf<Functions>(() => openInChild(ENTRY, module, data), {
    onCrash: error => crashes.push(error),
    notices: { onWarning: (...given: unknown[]) => warnings.push(given) },
    repeatable,
  })
  t.teardown(() => remote.close().catch(() => {})) // a test may have closed it
  return { remote, crashes, warnings }
}

test('a process is called as a thread is: answers, errors, aborts, listeners, notices', async t => {
  const { remote, warnings, crashes } = setup(t)
  t.same(await Promise.all([1, 2, 3].map(remote.double)), [2, 4, 6])
  await t.rejects(remote.fail('expected'), new FaultlineError('NOT_FOUND', 'There is none.', 'Make one.'))
  await t.rejects(remote.fail('uncloneable'), { name: 'Error' })
  const controller = new AbortController()
  const reason = new FaultlineError('CANCELLED', 'No longer wanted.')
  const seen: string[] = []
  const waiting = remote.untilAborted(controller.signal, phase => {
    seen.push(phase)
    controller.abort(reason)
  })
  t.equal(await waiting.catch((error: unknown) => error), reason)
  t.same(seen, ['waiting', 'told: CANCELLED'])
  await remote.warn('careful')
  t.same(warnings, [['careful', 1]])
  t.same(crashes, [])
})

test('large buffers, maps and dates come as they went', async t => {
  const { remote } = setup(t)
  const large = new Uint8Array(40 * 1_048_576).fill(6)
  const raised = await remote.raise(large)
  t.equal(Buffer.compare(raised, large.fill(7)), 0)
  const value = { map: new Map([['a', new Set([1])]]), at: new Date(0), none: undefined, big: 1n }
  t.strictSame(await remote.same(value), value)
})

test('several callers share one process, which ends with the last of them and begins again', async t => {
  const { remote } = setup(t)
  const { remote: other } = setup(t)
  await Promise.all([remote.double(1), other.double(1)])
  t.equal(pidsOf(ENTRY).length, 1)
  await remote.close()
  t.equal(await other.double(2), 4)
  await other.close()
  t.same(pidsOf(ENTRY), [])
  t.equal(await setup(t).remote.double(3), 6)
})

for (const [how, cause] of [
  ['uncaught', { message: 'nothing caught it' }],
  ['exit', { message: /code 3/ }],
] as const) {
  test(`a process that breaks down (${how}) takes the calls of all callers with it; the next call starts another`, async t => {
    const { remote, crashes } = setup(t)
    const { remote: other, crashes: others } = setup(t)
    const waiting = t.rejects(other.untilAborted(), { name: 'WorkerLostError', cause })
    await t.rejects(remote.breakDown(how), { name: 'WorkerLostError', cause })
    await waiting
    t.match([crashes, others], [[cause], [cause]])
    t.same(await Promise.all([remote.double(2), other.double(3)]), [4, 6])
  })
}

test('a call that may be repeated is, once, when its process is killed', async t => {
  const { remote, crashes } = setup(t, { repeatable: ['untilAborted'] })
  const phases: string[] = []
  const up = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const waiting = remote.untilAborted(undefined, phase => {
    up[phases.push(phase) - 1]?.resolve()
  })
  const lost = t.rejects(waiting, { name: 'WorkerLostError', cause: { message: /SIGKILL/ } })
  for (const { promise } of up) {
    await promise
    for (const pid of pidsOf(ENTRY)) process.kill(pid, 'SIGKILL')
  }
  await lost
  t.same(phases, ['waiting', 'waiting'])
  t.equal(crashes.length, 2)
})

test('a module that cannot be loaded fails its own callers alone', async t => {
  const { remote } = setup(t)
  await remote.double(1)
  const [pid] = pidsOf(ENTRY)
  const { remote: broken, crashes } = setup(t, { module: 'broken' })
  await t.rejects(broken.double(1), { cause: { message: 'it cannot be loaded' } })
  await t.rejects(setup(t, { module: 'unknown' }).remote.double(1), { cause: { message: /serves no unknown/ } })
  t.equal(crashes.length, 1)
  t.same(pidsOf(ENTRY), [pid])
  t.equal(await remote.double(2), 4)
})

test('neither Ctrl-C nor SIGTERM ends it: whoever started it does', async t => {
  const { remote, crashes } = setup(t)
  await remote.double(1)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    for (const pid of pidsOf(ENTRY)) process.kill(pid, signal)
    t.equal(await remote.double(1), 2, signal)
  }
  t.same(crashes, [])
})

test('it does not keep its parent alive, unless a call is under way', async t => {
  const { stdout } = await promisify(execFile)(process.execPath, [PARENT, 'once'])
  t.equal(stdout, '8\n')
})

test('a parent that is killed takes it along', async t => {
  const parent = spawn(process.execPath, [PARENT, 'wait'], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(parent.stdout, 'data')
  const children = () => processesWith('served-child.ts')
  t.equal(children().length, 1)
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  t.ok(await eventually(() => children().length === 0))
})
