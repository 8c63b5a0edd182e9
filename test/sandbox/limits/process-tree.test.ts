import { spawn } from 'node:child_process'
import { test } from 'tap'
import { processTree, treeMemoryBytes } from '../../../src/sandbox/limits/process-tree.ts'

test('the memory of a tree is that of all its processes', async t => {
  const child = spawn('/bin/bash', ['-c', 'sleep 60 & sleep 60 & wait'], { stdio: 'ignore', detached: true })
  const { pid = 0 } = child
  t.teardown(() => process.kill(-pid, 'SIGKILL'))
  while (processTree(pid).length < 3) await new Promise(resolve => setImmediate(resolve))
  t.ok(treeMemoryBytes(pid) > 100_000)
  t.equal(treeMemoryBytes(2 ** 22 + 1), 0, 'one that is not there has none')
})
