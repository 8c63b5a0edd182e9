import { spawn } from 'node:child_process'
import { test } from 'tap'
import {
  isAlive,
  knownProcess,
  processTree,
  treeMemoryBytes,
  untilGone,
} from '../../../src/sandbox/limits/process-tree.ts'

test('the memory of a tree is that of all its processes', async t => {
  const child = spawn('/bin/bash', ['-c', 'sleep 60 & sleep 60 & wait'], { stdio: 'ignore', detached: true })
  const { pid = 0 } = child
  t.teardown(() => process.kill(-pid, 'SIGKILL'))
  while (processTree(pid).length < 3) await new Promise(resolve => setImmediate(resolve))
  t.ok(treeMemoryBytes(pid) > 100_000)
  t.equal(treeMemoryBytes(2 ** 22 + 1), 0, 'one that is not there has none')
})

test('a process is known by its number and its start, and its end can be awaited', async t => {
  const child = spawn('/bin/sleep', ['60'], { stdio: 'ignore' })
  t.teardown(() => child.kill('SIGKILL'))
  const known = knownProcess(child.pid ?? 0)
  if (known === null) throw new Error('it runs')
  t.ok(isAlive(known))
  t.notOk(isAlive({ ...known, startedAt: `${known.startedAt}0` }), 'another that got its number')
  const gone = untilGone(known)
  setImmediate(() => child.kill('SIGKILL')) // the wait lets others go on
  await t.resolves(gone)
  t.notOk(isAlive(known))
  t.equal(knownProcess(2 ** 22 + 1), null)
})
